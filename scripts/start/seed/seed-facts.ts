// What the issuer knows itself, in the sandbox: rates, wallet tokens and 3DS authentications.
import { authenticationId } from '../../../shared/wire/facts.ts'
import type { SandboxCard } from '../sandbox-secrets.ts'
import { ownerOf } from './owner.ts'
import { FX_RATES, PROGRAMS, SANDBOX_CARDS } from './sandbox-plan.ts'
import type { Seed } from './seed-sandbox.ts'

/** A sandbox is played with for years; real authentications last minutes. */
const AUTHENTICATION_MS = 4 * 366 * 24 * 3_600_000
const PROVIDER = 'apple_pay'

export async function seedFxRates({ sql, now }: Seed): Promise<void> {
  const rows = Object.entries(FX_RATES).map(([id, rate]) => ({ id, rate, rate_at: now }))
  await sql`insert into fx_rates ${sql(rows)} on conflict do nothing`
}

/** Those that the cards' plans name. */
export async function seedCardFacts(
  seed: Seed,
  cards: { readonly [purpose: string]: SandboxCard },
): Promise<void> {
  const { sql, now } = seed
  for (const [purpose, card] of Object.entries(cards)) {
    const plan = SANDBOX_CARDS[purpose]
    if (plan === undefined) continue
    const { tenantId } = ownerOf(seed, PROGRAMS[plan.program])
    if (plan.walletToken !== undefined && card.wallet_token_id !== undefined) {
      await sql`
        insert into wallet_tokens (id, tenant_id, environment, card_id, provider, status, created_at)
        values (${card.wallet_token_id}, ${tenantId}, 'sandbox', ${card.id}, ${PROVIDER},
          ${plan.walletToken}, ${now})
        on conflict do nothing`
    }
    if (plan.authentication !== undefined && card.three_ds_id !== undefined) {
      await sql`
        insert into authentications (
          id, three_ds_id, tenant_id, environment, card_id, result, created_at, expires_at
        )
        values (
          ${authenticationId(card.id, card.three_ds_id)}, ${card.three_ds_id}, ${tenantId}, 'sandbox',
          ${card.id}, ${plan.authentication}, ${now}, ${now + AUTHENTICATION_MS}
        )
        on conflict do nothing`
    }
  }
}
