// Cards of the sandbox as rows: cardholder, card and controls, from their plans. The PAN is sealed, the CVC only verified.
import { type Derivation, SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import type { SandboxCard } from '../sandbox-secrets.ts'
import { ownerOf } from './owner.ts'
import { type CardPlan, PROGRAMS, SANDBOX_CARDS } from './sandbox-plan.ts'
import { type SubjectPlan, seedControls } from './seed-controls.ts'
import { seedCardFacts } from './seed-facts.ts'
import type { Seed } from './seed-sandbox.ts'

type Cards = { readonly [purpose: string]: SandboxCard }

/** Inserts the cards that are not there yet and returns all of them with their CVCs. */
export async function seedCards(
  seed: Seed,
  derivation: Derivation,
  cards: Cards,
): Promise<{ [purpose: string]: SandboxCard }> {
  const withCvc: { [purpose: string]: SandboxCard } = {}
  for (const [purpose, card] of Object.entries(cards)) {
    withCvc[purpose] = { ...card, cvc: derivation.cvc(card.pan, card.exp_month, card.exp_year) }
  }
  await seedCardholders(seed, withCvc)
  await seedCardRows(seed, derivation, withCvc)
  await seedControls(seed, subjectsOf(seed, withCvc))
  await seedCardFacts(seed, withCvc)
  return withCvc
}

/** Every card and cardholder that a plan binds. */
function subjectsOf(seed: Seed, cards: Cards): SubjectPlan[] {
  return Object.entries(cards).flatMap(([purpose, card]) => {
    const plan = planOf(purpose)
    const { tenantId } = ownerOf(seed, PROGRAMS[plan.program])
    const bound = { tenantId, currency: card.currency, draft: plan.draft === true }
    const subjects: SubjectPlan[] = []
    const { controls, cardholderControls } = plan
    if (controls !== undefined) subjects.push({ scope: 'card', id: card.id, controls, ...bound })
    if (cardholderControls !== undefined) {
      const { cardholder_id: id } = card
      subjects.push({ scope: 'cardholder', id, controls: cardholderControls, ...bound })
    }
    return subjects
  })
}

/** A purpose that this version does not know any more is an everyday card. */
function planOf(purpose: string): CardPlan {
  return SANDBOX_CARDS[purpose] ?? { program: 'plain' }
}

/** Seeded people were verified, so that cards are issued to them. */
const APPROVED = { status: 'approved', reasons: [], verification_id: null, completed_at: null }

async function seedCardholders(seed: Seed, cards: Cards): Promise<void> {
  const { sql, secrets, now } = seed
  const rows = Object.entries(cards).map(([purpose, card]) => {
    const plan = planOf(purpose)
    const { tenantId } = ownerOf(seed, PROGRAMS[plan.program])
    return {
      id: card.cardholder_id,
      tenant_id: tenantId,
      environment: 'sandbox',
      program_id: secrets.programs[plan.program] ?? '',
      name: 'Cardholder of ' + purpose,
      status: plan.cardholder === 'inactive' ? 'inactive' : 'active',
      frozen: plan.cardholder === 'frozen',
      frozen_reason: plan.cardholder === 'frozen' ? 'sandbox example' : null,
      identity: sql.json(APPROVED),
      created_at: now,
    }
  })
  await sql`insert into cardholders ${sql(rows)} on conflict do nothing`
}

async function seedCardRows(seed: Seed, derivation: Derivation, cards: Cards): Promise<void> {
  const { sql, secrets, masterKeys, now } = seed
  const rows = Object.entries(cards).map(([purpose, card]) => {
    const plan = planOf(purpose)
    const { tenantId } = ownerOf(seed, PROGRAMS[plan.program])
    const fingerprint = derivation.fingerprint(card.pan)
    return {
      id: card.id,
      tenant_id: tenantId,
      environment: 'sandbox',
      program_id: secrets.programs[plan.program] ?? '',
      cardholder_id: card.cardholder_id,
      type: plan.type ?? 'virtual',
      status: plan.status ?? 'active',
      suspend_reason: plan.status === 'suspended' ? 'sandbox example' : null,
      terminate_reason: plan.status === 'terminated' ? 'sandbox example' : null,
      token: card.token,
      fingerprint,
      sealed_pan: seal(masterKeys, SEAL_CONTEXTS.pan, card.pan),
      last4: card.pan.slice(-4),
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      cvc_verifier: derivation.cvcVerifier(fingerprint, card.cvc),
      pin_verifier: card.pin === undefined ? null : derivation.pinVerifier(fingerprint, card.pin),
      suspended_by: plan.status === 'suspended' ? 'tenant' : null,
      currency: card.currency,
      created_at: now,
    }
  })
  await sql`insert into cards ${sql(rows)} on conflict (id) do nothing`
}
