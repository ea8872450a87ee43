// The endpoints of alerts. A review moves the cardholder too: its endpoint is with the cardholders.
import { Type } from '../../../shared/schema-builders.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import {
  ALERT_STATUSES,
  OperatorSanctionsAlert,
  SanctionsAlert,
} from '../../../shared/schemas/sanctions-alert.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import { readAlert, readAlerts, readAllAlerts } from './read.ts'

const FILTERS = {
  ...PAGE_QUERY,
  ...CREATED_FILTERS,
  status: Type.Optional(Type.Enum([...ALERT_STATUSES])),
  cardholder_id: IdFilter,
}

export const screeningRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/sanctions_alerts'],
    scope: 'read',
    summary: 'Lists what screenings of cardholders found, newest first.',
    family: 'card',
    query: closed(FILTERS),
    answer: PageOf(SanctionsAlert),
    run: (context, { query }) => readAlerts(context, query),
  }),
  route({
    method: 'GET',
    paths: ['/v1/sanctions_alerts/:id'],
    scope: 'read',
    summary: 'Returns one alert: which entries of the lists a cardholder may be.',
    family: 'card',
    params: IdParams,
    answer: SanctionsAlert,
    run: (context, { params }) => readAlert(context, params.id),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/sanctions_alerts'],
    summary: 'Lists the alerts of all tenants, newest first.',
    query: closed({ ...FILTERS, tenant_id: IdFilter }),
    answer: PageOf(OperatorSanctionsAlert),
    run: (context, { query }) => readAllAlerts(context, query),
  }),
]
