// Withdrawals of holders on a real node, with the API, the engine and the database of a test.
import { pino } from 'pino'
import type { Chain } from '../../api/payments/chain/chain.ts'
import type { Passkey } from '../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../shared/clock.ts'
import { unitsOfCents } from '../../shared/token-units.ts'
import type { Answer } from './api.ts'
import { openPayments, type PaymentsApi, type PaymentsOptions, tellEngine } from './payments.ts'
import { openTestDatabase, type TestDatabase } from './postgres.ts'
import { type SettlementStand, startSettlement } from './settlement.ts'

type Body = Answer['body']

/** Addresses with their checksum. */
export const HOME = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

export interface WithdrawalStand {
  at: SettlementStand
  api: PaymentsApi
  /** Links that were handed to the telephone of the sandbox, with their environment. */
  told: [environment: string, url: string][]
  /** Lines of the API's log, the finest included. */
  lines: string[]
}

export interface Holder {
  id: string
  address: `0x${string}`
  passkey: Passkey
}

/** Over a database of its own, unless a test brings one. */
export async function startWithdrawals(
  t: Parameters<typeof startSettlement>[0],
  options: PaymentsOptions = {},
  given?: TestDatabase,
  settling?: SettlementStand,
): Promise<WithdrawalStand> {
  const database = given ?? (await openTestDatabase(t))
  const at = settling ?? (await startSettlement(t, undefined, database))
  const chain: Chain = at.line.chain
  const told: WithdrawalStand['told'] = []
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
  const api = await openPayments(
    t,
    {
      log,
      chains: { sandbox: at.config, live: null },
      isApproved: (_environment, approval, assertion) => chain.isApproved(approval, assertion),
      isReleasable: (_environment, terms, assertion) => chain.isReleasable(terms, assertion),
      tellHolder: (environment, url) => void told.push([environment, url]),
      withdrawalNonce: (_environment, account) => chain.withdrawalNonce(account),
      ...options,
    },
    database,
  )
  return { at, api, told, lines }
}

/** An account with money that is final, and known to the engine. */
export async function openHolder({ at, api }: WithdrawalStand, cents: number): Promise<Holder> {
  const { id, passkey } = await api.openAccount(0)
  const { address } = await api.get('payment_accounts/' + id)
  await at.sandbox.callToken('mint', [address, unitsOfCents(cents)])
  await at.mine(3)
  await at.round()
  await tellEngine(api, async () => undefined)
  return { id, address, passkey }
}

export async function beginWithdrawal(
  { api }: WithdrawalStand,
  { id }: Holder,
  amount_cents: number,
): Promise<Body> {
  const sent = { amount_cents, to_address: HOME }
  const made = await api.post('payment_accounts/' + id + '/withdrawals', sent)
  if (made.status !== 201) throw new Error(made.text)
  return made.body
}

export function settleAll({ at }: WithdrawalStand): Promise<void> {
  at.clock.nowMs = systemClock.nowMs()
  return at.settle()
}
