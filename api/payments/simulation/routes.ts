// Endpoints that simulate holders and the token's issuer; of the sandbox only.
import { Type } from '../../../shared/schema-builders.ts'
import { PaymentAccount } from '../../../shared/schemas/payment-account.ts'
import { SettlementAccount } from '../../../shared/schemas/settlement-account.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import type { PaymentAccountPorts } from '../payment-accounts/index.ts'
import type { HolderPort } from './holder.ts'
import { answerNext, blockAccount, blockPayee, fundAccount } from './simulate.ts'

const ACCOUNTS = '/v1/simulate/payment_accounts/:id/'
const PAYEES = '/v1/simulate/settlement_accounts/:id/'
/** A million dollars. */
const FUND_CENTS_MAX = 100_000_000
const SIMULATE = {
  method: 'POST',
  family: 'settlement',
  scope: 'write',
  entitled: 'always',
  bucket: 'payments_write',
  sandboxOnly: true,
  params: IdParams,
} as const

export type SimulationPorts = HolderPort & PaymentAccountPorts

export const simulationRoutes: readonly Route<SimulationPorts>[] = [
  route({
    ...SIMULATE,
    paths: [ACCOUNTS + 'fund'],
    summary:
      'Mints tokens to a payment account on the chain; its balance follows once they are final.',
    body: closed({ amount_cents: Type.Integer({ minimum: 1, maximum: FUND_CENTS_MAX }) }),
    answer: PaymentAccount,
    run: (context, { params: { id }, body }, ports: SimulationPorts) =>
      fundAccount(context, { id, amountCents: body.amount_cents }, ports),
  }),
  ...([true, false] as const).map((blocked) =>
    route({
      ...SIMULATE,
      paths: [ACCOUNTS + (blocked ? 'block' : 'unblock')],
      summary: blocked
        ? 'Has the token’s issuer block a payment account: its captures fail on the chain.'
        : 'Has the token’s issuer open a blocked payment account again.',
      answer: PaymentAccount,
      run: (context, { params: { id } }, ports: SimulationPorts) =>
        blockAccount(context, { id, blocked }, ports),
    }),
  ),
  ...(['approve', 'deny'] as const).map((answer) =>
    route({
      ...SIMULATE,
      paths: [ACCOUNTS + answer + '_next'],
      summary:
        answer === 'approve'
          ? 'Has a simulated telephone approve what an account is asked next (payment, mandate, withdrawal), not what it was asked before.'
          : 'Has a simulated telephone deny what an account is asked next (payment, mandate, withdrawal), not what it was asked before.',
      answer: PaymentAccount,
      run: (context, { params: { id } }, ports: SimulationPorts) =>
        answerNext(context, { id, answer }, ports),
    }),
  ),
  ...([true, false] as const).map((blocked) =>
    route({
      ...SIMULATE,
      paths: [PAYEES + (blocked ? 'block' : 'unblock')],
      summary: blocked
        ? 'Has the token’s issuer block the address of a settlement account: its batches fail.'
        : 'Has the token’s issuer open the address of a settlement account again.',
      answer: SettlementAccount,
      run: (context, { params: { id } }, ports: SimulationPorts) =>
        blockPayee(context, { id, blocked }, ports),
    }),
  ),
]
