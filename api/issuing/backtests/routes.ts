// The endpoints of backtests.
import { Type } from '../../../shared/schema-builders.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { CONTROL_TERMS_INPUT } from '../../../shared/schemas/spending-control.ts'
import {
  BACKTEST_DAYS_MAX,
  SpendingControlBacktest,
} from '../../../shared/schemas/spending-control-backtest.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import { createBacktest } from './create.ts'
import { readBacktest, readBacktests } from './read.ts'

const LIST = '/v1/spending_controls/:id/backtests'

const BacktestParams = closed({ ...IdParams.properties, backtest: IdParams.properties.id })

export const backtestRoutes: readonly Route[] = [
  route({
    method: 'POST',
    paths: [LIST],
    scope: 'write',
    entitled: 'always',
    summary:
      'Judges recorded authorizations by changed terms of a spending control, which itself stays as it is.',
    family: 'card',
    params: IdParams,
    body: closed({
      days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: BACKTEST_DAYS_MAX,
          description: 'Days up to now whose authorizations are judged; 30 when it is left out.',
        }),
      ),
      ...CONTROL_TERMS_INPUT,
    }),
    answer: SpendingControlBacktest,
    status: 202,
    run: (context, { params, body: { days = BACKTEST_DAYS_MAX, ...terms } }) =>
      createBacktest(context, { controlId: params.id, days, terms }),
  }),
  route({
    method: 'GET',
    paths: [LIST],
    scope: 'read',
    summary: 'Lists the backtests of a spending control, newest first.',
    family: 'card',
    params: IdParams,
    query: closed({ ...PAGE_QUERY }),
    answer: PageOf(SpendingControlBacktest),
    run: (context, { params, query }) => readBacktests(context, { ...query, controlId: params.id }),
  }),
  route({
    method: 'GET',
    paths: [LIST + '/:backtest'],
    scope: 'read',
    summary: 'Returns one backtest of a spending control.',
    family: 'card',
    params: BacktestParams,
    answer: SpendingControlBacktest,
    run: (context, { params }) =>
      readBacktest(context, { controlId: params.id, id: params.backtest }),
  }),
]
