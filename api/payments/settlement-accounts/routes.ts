// The endpoints of settlement accounts. A change of where money goes needs an admin's key and a
// person's approval.
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { SettlementAccount } from '../../../shared/schemas/settlement-account.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import { words } from '../../../shared/schemas/words.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import { createSettlementAccount } from './create.ts'
import { readSettlementAccount, readSettlementAccounts } from './read.ts'
import { agreeFee, disableSettlementAccount, updateSettlementAccount } from './update.ts'

const Name = words(100)
const Schedule = Type.Union([
  closed({ interval: Type.Literal('continuous') }),
  closed({ interval: Type.Literal('daily'), hour: Type.Integer({ minimum: 0, maximum: 23 }) }),
])
/** The most that the contract lets the service take. */
const FEE_BPS_MAX = 500
const CONTINUOUS = { interval: 'continuous' } as const

export const settlementAccountRoutes: readonly Route<ChainPort>[] = [
  route({
    method: 'GET',
    paths: ['/v1/settlement_accounts'],
    summary: 'Lists settlement accounts: the addresses on the chain to which you are paid.',
    family: 'settlement',
    scope: 'read',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(SettlementAccount),
    run: (context, { query }) => readSettlementAccounts(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/settlement_accounts/:id'],
    summary: 'Shows a settlement account.',
    family: 'settlement',
    scope: 'read',
    params: IdParams,
    answer: SettlementAccount,
    run: (context, { params }) => readSettlementAccount(context, params.id),
  }),
  route({
    method: 'POST',
    paths: ['/v1/settlement_accounts'],
    summary: 'Makes a settlement account; in live it is usable a day later.',
    family: 'settlement',
    scope: 'admin',
    entitled: 'always',
    bucket: 'settlements_write',
    factor: 'Add an address to which captured payments are paid.',
    body: closed({
      address: described(
        Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' }),
        'The address on the chain, with the checksum of EIP-55.',
      ),
      name: described(Name, 'The name that the holder reads before approving a payment.'),
      mcc: Type.String({ pattern: '^[0-9]{4}$' }),
      country: Type.String({ pattern: '^[A-Z]{2}$' }),
      schedule: described(
        Type.Optional(Schedule),
        'When batches are closed; continuously when left out.',
      ),
      ...TENANT_FIELDS_INPUT,
    }),
    answer: SettlementAccount,
    status: 201,
    run: (context, { body }, ports: ChainPort) =>
      createSettlementAccount(
        context,
        {
          address: body.address,
          name: body.name,
          mcc: body.mcc,
          country: body.country,
          schedule: body.schedule ?? CONTINUOUS,
          externalId: body.external_id ?? null,
          metadata: body.metadata ?? {},
        },
        ports,
      ),
  }),
  route({
    method: 'PATCH',
    paths: ['/v1/settlement_accounts/:id'],
    summary: 'Changes name, schedule, external_id and metadata of a settlement account.',
    family: 'settlement',
    scope: 'admin',
    entitled: 'always',
    bucket: 'settlements_write',
    factor: 'Change a settlement account.',
    params: IdParams,
    body: closed(
      {
        name: Type.Optional(Name),
        schedule: described(Type.Optional(Schedule), 'When batches are closed.'),
        ...TENANT_FIELDS_CHANGE,
      },
      { minProperties: 1 },
    ),
    answer: SettlementAccount,
    run: (context, { params, body }) =>
      updateSettlementAccount(context, { id: params.id, change: body }),
  }),
  route({
    method: 'POST',
    paths: ['/v1/settlement_accounts/:id/disable'],
    summary: 'Disables a settlement account for ever: no new payment can name it.',
    family: 'settlement',
    scope: 'admin',
    entitled: 'always',
    bucket: 'settlements_write',
    factor: 'Disable a settlement account for ever.',
    params: IdParams,
    answer: SettlementAccount,
    run: (context, { params }) => disableSettlementAccount(context, params.id),
  }),
  operatorRoute({
    method: 'PUT',
    paths: ['/operator/v1/settlement_accounts/:id/fee'],
    summary: 'Records the share of what is captured that stays with the service.',
    params: IdParams,
    body: closed({
      fee_bps: described(
        Type.Integer({ minimum: 0, maximum: FEE_BPS_MAX }),
        'Hundredths of a percent, at most 5 %.',
      ),
    }),
    answer: SettlementAccount,
    run: (context, { params, body }) => agreeFee(context, { id: params.id, feeBps: body.fee_bps }),
  }),
]
