// The endpoints of settlement batches: tenants read theirs, operators run and stop settling.
import { Type } from 'typebox'
import { ChainLine } from '../../../shared/schemas/chain-line.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  SETTLEMENT_BATCH_STATUSES,
  SettlementBatch,
  SettlementRun,
} from '../../../shared/schemas/settlement-batch.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import { pauseChain, readChainLine, resumeChain } from './chain.ts'
import { readBatch, readBatches, readReviews } from './read.ts'
import { runSettlement } from './run.ts'

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
]

const EnvironmentParam = Type.Enum(['sandbox', 'live'])
const EnvironmentParams = closed({ environment: EnvironmentParam })

const OPERATOR_ROUTES: readonly Route<ChainPort>[] = [
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

export const settlementBatchRoutes: readonly Route<ChainPort>[] = [
  ...TENANT_ROUTES,
  ...OPERATOR_ROUTES,
]
