// Cards of the sandbox as rows: cardholder, card and controls, from their plans. The PAN is sealed, the CVC only verified.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { type Derivation, SEAL_CONTEXTS, seal } from '../../../shared/keyring.ts'
import { openControl, ownControlId } from '../../../shared/wire/facts.ts'
import type { SandboxCard } from '../sandbox-secrets.ts'
import { type ControlsPlan, SANDBOX_CARDS, SANDBOX_CURRENCY } from './sandbox-plan.ts'
import type { Seed } from './seed-sandbox.ts'

const TIME_ZONE = 'UTC'

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
  for (const [purpose, card] of Object.entries(withCvc)) {
    const plan = SANDBOX_CARDS[purpose]
    await seedControls(seed, 'card', card.id, plan?.controls)
    await seedControls(seed, 'cardholder', card.cardholder_id, plan?.cardholderControls)
  }
  return withCvc
}

async function seedCardholders({ sql, secrets, now }: Seed, cards: Cards): Promise<void> {
  const rows = Object.entries(cards).map(([purpose, card]) => {
    const plan = SANDBOX_CARDS[purpose]
    return {
      id: card.cardholder_id,
      tenant_id: secrets.tenant_id,
      environment: 'sandbox',
      program_id: secrets.programs[plan?.program ?? 'plain'] ?? '',
      name: 'Cardholder of ' + purpose,
      status: plan?.cardholder === 'inactive' ? 'inactive' : 'active',
      frozen: plan?.cardholder === 'frozen',
      frozen_reason: plan?.cardholder === 'frozen' ? 'sandbox example' : null,
      created_at: now,
    }
  })
  await sql`insert into cardholders ${sql(rows)} on conflict do nothing`
}

async function seedCardRows(seed: Seed, derivation: Derivation, cards: Cards): Promise<void> {
  const { sql, secrets, masterKeys, now } = seed
  const rows = Object.entries(cards).map(([purpose, card]) => {
    const plan = SANDBOX_CARDS[purpose]
    const fingerprint = derivation.fingerprint(card.pan)
    return {
      id: card.id,
      tenant_id: secrets.tenant_id,
      environment: 'sandbox',
      program_id: secrets.programs[plan?.program ?? 'plain'] ?? '',
      cardholder_id: card.cardholder_id,
      type: plan?.type ?? 'virtual',
      status: plan?.status ?? 'active',
      suspend_reason: plan?.status === 'suspended' ? 'sandbox example' : null,
      terminate_reason: plan?.status === 'terminated' ? 'sandbox example' : null,
      token: card.token,
      fingerprint,
      sealed_pan: seal(masterKeys, SEAL_CONTEXTS.pan, card.pan),
      last4: card.pan.slice(-4),
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      cvc_verifier: derivation.cvcVerifier(fingerprint, card.cvc),
      currency: SANDBOX_CURRENCY,
      created_at: now,
    }
  })
  await sql`insert into cards ${sql(rows)} on conflict (id) do nothing`
}

async function seedControls(
  { sql, secrets, now }: Seed,
  scope: 'card' | 'cardholder',
  subjectId: string,
  plan: ControlsPlan | undefined,
): Promise<void> {
  if (plan === undefined) return
  const { limits: _limits, ...lists } = plan
  const control = { ...openControl(ownControlId(subjectId)), ...lists, limits: limitsOf(plan, now) }
  await sql`
    insert into controls (subject_id, scope, tenant_id, environment, controls)
    values (
      ${subjectId}, ${scope}, ${secrets.tenant_id}, 'sandbox',
      ${JSON.stringify([control])}::text::jsonb
    )
    on conflict do nothing`
}

function limitsOf(plan: ControlsPlan, now: EpochMs) {
  return (plan.limits ?? []).map((limit) => ({
    id: newId('lim', now),
    interval: limit.interval,
    amount_cents: limit.amountCents,
    count: null,
    currency: SANDBOX_CURRENCY,
    time_zone: TIME_ZONE,
    rolling_seconds: null,
    filter: null,
  }))
}
