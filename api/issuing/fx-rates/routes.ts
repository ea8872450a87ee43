// The endpoints of exchange rates, for operators: the rates belong to the installation.
import { Type } from '../../../shared/schema-builders.ts'
import {
  FxPair,
  FxRates,
  FxSource,
  FxTable,
  NEW_FX_TABLE,
} from '../../../shared/schemas/fx-rate.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { publishTable, requireRates } from './publish.ts'
import { findRates, findTable, listTables } from './store.ts'
import { fxRatesView, fxTableView } from './view.ts'

const PATH = '/operator/v1/fx_tables'
/** A machine that publishes rates needs no other call. */
const BY_MACHINE = { operatorScope: 'rates' } as const

export const fxRateRoutes: readonly Route[] = [
  operatorRoute({
    ...BY_MACHINE,
    method: 'GET',
    paths: ['/operator/v1/fx_rates'],
    summary: 'Returns the exchange rates in force.',
    answer: FxRates,
    run: async ({ sql }) => fxRatesView(await findRates(sql)),
  }),
  operatorRoute({
    ...BY_MACHINE,
    method: 'GET',
    paths: [PATH],
    summary: 'Lists the published tables of exchange rates, newest first.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      source: Type.Optional(FxSource),
      pair: Type.Optional(FxPair),
    }),
    answer: PageOf(FxTable),
    run: async ({ sql }, { query }) => mapPage(await listTables(sql, query), fxTableView),
  }),
  operatorRoute({
    ...BY_MACHINE,
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Returns one published table of exchange rates.',
    params: IdParams,
    answer: FxTable,
    run: async ({ sql }, { params }) => {
      const row = await findTable(sql, params.id)
      if (row === null) throw new Refusal('resource_missing')
      return fxTableView(row)
    },
  }),
  operatorRoute({
    ...BY_MACHINE,
    method: 'POST',
    paths: [PATH],
    summary: 'Publishes a table of exchange rates; the engine converts by them at once.',
    status: 201,
    secondOperatorBy: ({ confirm_large_changes: isConfirmed }) =>
      isConfirmed === true ? 'Publish exchange rates that differ by more than 10 %.' : null,
    body: closed({ ...NEW_FX_TABLE }),
    check: requireRates,
    answer: FxTable,
    run: (context, { body }) => publishTable(context, body),
  }),
]
