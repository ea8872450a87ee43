// States that the network meets although no call of the API leads to them: a card past its expiry,
// which takes four years, and a program that was never activated but has a card, which comes from
// an import.
import type { TxSql } from '../../../api/database/transaction.ts'
import { type EpochMs, isoInstant } from '../../../shared/clock.ts'
import type { SandboxCard } from '../sandbox-secrets.ts'
import type { Bootstrap } from './bootstrap.ts'
import { ensureDerivationRoot } from './derivation-root.ts'
import { type CardPlan, PROGRAMS, type ProgramPlan } from './sandbox-plan.ts'

/** The card as it is afterwards. */
export async function reachUnreachable(
  { sql, masterKeys, now }: Pick<Bootstrap, 'sql' | 'masterKeys' | 'now'>,
  card: SandboxCard,
  { plan, programId }: { plan: CardPlan; programId: string },
): Promise<SandboxCard> {
  const program: ProgramPlan = PROGRAMS[plan.program]
  if (program.status === 'pending')
    await sql`update programs set status = 'pending' where id = ${programId} and status = 'active'`
  if (plan.expired !== true) return card
  const derivation = await ensureDerivationRoot(sql, masterKeys)
  const expiry = lastYear(now)
  const cvc = derivation.cvc(card.pan, expiry.exp_month, expiry.exp_year)
  const verifier = derivation.cvcVerifier(derivation.fingerprint(card.pan), cvc)
  await saveExpiry(sql, card.id, { ...expiry, verifier })
  return { ...card, ...expiry, cvc }
}

interface Expiry {
  exp_month: number
  exp_year: number
}

function lastYear(now: EpochMs): Expiry {
  const today = isoInstant(now)
  return { exp_month: Number(today.slice(5, 7)), exp_year: Number(today.slice(0, 4)) - 1 }
}

/** The CVC goes with the expiry: it is made of it. */
async function saveExpiry(
  sql: TxSql,
  cardId: string,
  { exp_month, exp_year, verifier }: Expiry & { verifier: string },
): Promise<void> {
  await sql`
    update cards set exp_month = ${exp_month}, exp_year = ${exp_year}, cvc_verifier = ${verifier}
    where id = ${cardId}`
}
