// The endpoints of settlement batches: tenants read theirs, operators run and stop settling.
import { Type } from '../../../shared/schema-builders.ts'
import { ChainLine } from '../../../shared/schemas/chain-line.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { Payment } from '../../../shared/schemas/payment.ts'
import { SettlementAges } from '../../../shared/schemas/settlement-ages.ts'
import { SettlementBalance } from '../../../shared/schemas/settlement-balance.ts'
import {
  ResolvedBatch,
  SETTLEMENT_BATCH_STATUSES,
  SettlementBatch,
  SettlementRun,
} from '../../../shared/schemas/settlement-batch.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import type { PaymentEnginePort } from '../payments/index.ts'
import { readAges } from './ages.ts'
import { readBalance } from './balance.ts'
import { pauseChain, readChainLine, resumeChain } from './chain.ts'
import { readBatch, readBatches, readPaymentsOf, readReviews } from './read.ts'
import { cancelBatch, resolveReview } from './review.ts'
import { runSettlement } from './run.ts'

/** The parts of the process that these endpoints use. */
export interface SettlementPorts extends ChainPort, PaymentEnginePort {}

const TENANT_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/settlement_batches'],
    summary: 'Lists settlement batches: the chain transactions in which you are paid.',
    family: 'settlement',
    scope: 'read',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...SETTLEMENT_BATCH_STATUSES])),
      settlement_account_id: IdFilter,
    }),
    answer: PageOf(SettlementBatch),
    run: (context, { query }) => readBatches(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/settlement_batches/:id'],
    summary: 'Shows a settlement batch with its sums and its transaction.',
    family: 'settlement',
    scope: 'read',
    params: IdParams,
    answer: SettlementBatch,
    run: (context, { params }) => readBatch(context, params.id),
  }),
  route({
    method: 'GET',
    paths: ['/v1/settlement_batches/:id/payments'],
    summary: 'Lists the payments of a settlement batch, newest first.',
    family: 'settlement',
    scope: 'read',
    params: IdParams,
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(Payment),
    run: (context, { params, query }) => readPaymentsOf(context, params.id, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/settlement_balance'],
    summary: 'Shows what waits for settlement, what is in it, and what was paid out.',
    family: 'settlement',
    scope: 'read',
    absent: true,
    query: closed({ settlement_account_id: IdFilter }),
    answer: SettlementBalance,
    run: (context, { query }) => readBalance(context, query.settlement_account_id ?? null),
  }),
  route({
    method: 'GET',
    paths: ['/v1/settlement_ages'],
    summary: 'Shows how old the captures are that wait for settlement or are in it.',
    family: 'settlement',
    scope: 'read',
    absent: true,
    query: closed({ settlement_account_id: IdFilter }),
    answer: SettlementAges,
    run: (context, { query }) => readAges(context, query.settlement_account_id ?? null),
  }),
]

const EnvironmentParam = Type.Enum(['sandbox', 'live'])
const EnvironmentParams = closed({ environment: EnvironmentParam })

const OPERATOR_ROUTES: readonly Route<SettlementPorts>[] = [
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/settlement_batches'],
    summary: 'Lists failed settlement batches whose manual review is open.',
    query: closed({ ...PAGE_QUERY, review: Type.Optional(Type.Literal('open')) }),
    answer: PageOf(SettlementBatch),
    run: (context, { query: { review: _open, ...query } }) => readReviews(context, query),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/settlement_batches/:id/resolve'],
    summary: 'Resolves the review of a batch: its captures are tried again, or abandoned.',
    params: IdParams,
    body: closed({
      resolution: described(
        Type.Enum(['retry', 'abandon']),
        'Retry queues captures and refunds again; abandon gives the captures up.',
      ),
    }),
    answer: ResolvedBatch,
    run: (context, { params, body }, port: PaymentEnginePort) =>
      resolveReview(context, { id: params.id, resolution: body.resolution }, port),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/settlement_batches/:id/cancel'],
    summary: 'Asks the settler to cancel a batch whose transaction is in no block.',
    params: IdParams,
    answer: SettlementBatch,
    run: (context, { params }) => cancelBatch(context, params.id),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/tenants/:id/settlement_runs'],
    summary: 'Closes a settlement batch of each settlement account of a tenant now.',
    params: IdParams,
    body: closed({ environment: EnvironmentParam }),
    answer: SettlementRun,
    run: (context, { params, body }) =>
      runSettlement(context, { tenantId: params.id, environment: body.environment }),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/chains/:environment'],
    summary: 'Shows whether settling goes on, and how many transactions are in flight.',
    params: EnvironmentParams,
    answer: ChainLine,
    run: (context, { params }, ports: ChainPort) =>
      readChainLine(context, params.environment, ports),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/chains/:environment/pause'],
    summary: 'Pauses settling on the chain of an environment; authorizing goes on.',
    params: EnvironmentParams,
    answer: ChainLine,
    run: (context, { params }, ports: ChainPort) => pauseChain(context, params.environment, ports),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/chains/:environment/resume'],
    summary: 'Resumes settling after a pause or a stop whose reason an operator knows.',
    params: EnvironmentParams,
    answer: ChainLine,
    run: (context, { params }, ports: ChainPort) => resumeChain(context, params.environment, ports),
  }),
]

export const settlementBatchRoutes: readonly Route<SettlementPorts>[] = [
  ...TENANT_ROUTES,
  ...OPERATOR_ROUTES,
]
