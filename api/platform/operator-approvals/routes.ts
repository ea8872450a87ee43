// Endpoints about calls of operators that need a second operator.
import { PageOf } from '../../../shared/schemas/list.ts'
import { OperatorApproval } from '../../../shared/schemas/operator-approval.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { mapPage, PAGE_QUERY } from '../../database/page.ts'
import { Refusal } from '../../http/refusal.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route } from '../../http/route.ts'
import { type DecisionPorts, decideApproval } from './decide.ts'
import { findApprovalRow, listApprovals } from './store.ts'
import { approvalView } from './view.ts'

const PATH = '/operator/v1/operator_approvals'

export const operatorApprovalRoutes: readonly Route<DecisionPorts>[] = [
  operatorRoute({
    method: 'GET',
    paths: [PATH],
    summary: 'Lists the calls of operators that need a second operator, newest first.',
    query: closed({ ...PAGE_QUERY, ...CREATED_FILTERS, operator_id: IdFilter }),
    answer: PageOf(OperatorApproval),
    run: async ({ sql, now }, { query }) =>
      mapPage(await listApprovals(sql, query), (row) => approvalView(row, now)),
  }),
  operatorRoute({
    method: 'GET',
    paths: [PATH + '/:id'],
    summary: 'Returns a call that needs a second operator.',
    params: IdParams,
    answer: OperatorApproval,
    run: async ({ sql, now }, { params }) => {
      const row = await findApprovalRow(sql, params.id)
      if (row === null) throw new Refusal('resource_missing')
      return approvalView(row, now)
    },
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/approve'],
    summary: 'Approves the call of another operator, who then makes it again.',
    params: IdParams,
    answer: OperatorApproval,
    run: (context, { params }, ports: DecisionPorts) =>
      decideApproval(context, { id: params.id, state: 'approved' }, ports),
  }),
  operatorRoute({
    method: 'POST',
    paths: [PATH + '/:id/deny'],
    summary: 'Denies the call of another operator, or takes back an approval before its use.',
    params: IdParams,
    answer: OperatorApproval,
    run: (context, { params }, ports: DecisionPorts) =>
      decideApproval(context, { id: params.id, state: 'denied' }, ports),
  }),
]
