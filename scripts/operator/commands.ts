// Every command that calls the API, as a table: its words are its name, its options are the fields
// that the call takes.
import { BILLING_COMMANDS } from './billing-commands.ts'
import type { Command, Field } from './caller.ts'
import { CARD_COMMANDS } from './card-commands.ts'
import { CARDHOLDER_COMMANDS } from './cardholder-commands.ts'
import { FX_COMMANDS } from './fx-commands.ts'
import { NETWORK_COMMANDS } from './network-commands.ts'
import { OPERATOR_COMMANDS } from './operator-commands.ts'
import { PEOPLE_COMMANDS } from './people-commands.ts'
import { SETTLEMENT_COMMANDS } from './settlement-commands.ts'
import { fields, keyIssued, programLines, table, tenantShown } from './show.ts'

function needs(about: string, kind: Field['kind'] = 'text'): Field {
  return { kind, required: true, about }
}

function takes(about: string): Field {
  return { kind: 'text', required: false, about }
}

const SUSPENSION = {
  'suspended-by': needs('regulator, sponsor_bank or provider_risk'),
  reason: needs('reason; the tenant reads it'),
}
const ENVIRONMENT = 'sandbox or live'

const TENANTS = '/operator/v1/tenants'
const PROGRAMS = '/operator/v1/programs'

/** A command that sends its fields to one thing. */
function changes(path: (id: string) => string, method: 'POST' | 'PUT' = 'POST'): Command['run'] {
  return (call, id, given) => call.send(method, path(id), given)
}

const TENANT_COMMANDS: readonly Command[] = [
  {
    words: 'tenants list',
    names: null,
    about: 'Tenants, newest first.',
    fields: {
      'kyb-status': takes('pending, submitted, approved or rejected'),
      status: takes('active or suspended'),
    },
    run: (call, _id, given) => call.list(TENANTS, given),
    show: (answer) =>
      table(answer, ['id', 'name', 'country', 'kyb_status', 'status', 'realtime_entitled']),
  },
  {
    words: 'tenants create',
    names: null,
    about: 'Makes a tenant; its sandbox is open at once.',
    fields: {
      name: needs('name of the tenant'),
      'legal-name': needs('legal name of the business'),
      country: needs('ISO 3166-1 alpha-2, such as DE'),
      'api-version': takes('pinned version of the API (default: the newest)'),
    },
    run: changes(() => TENANTS),
    show: tenantShown,
  },
  {
    words: 'tenants show',
    names: 'TENANT',
    about: 'One tenant with its entitlements and programs.',
    fields: {},
    async run(call, id) {
      const tenant = await call.read(TENANTS + '/' + id)
      const programs = await call.list(PROGRAMS, { tenant_id: id })
      return { ...tenant, programs: programs['data'] }
    },
    show: tenantShown,
  },
  {
    words: 'tenants kyb show',
    names: 'TENANT',
    about: 'The newest application of a tenant for live.',
    fields: {},
    run: (call, id) => call.read(TENANTS + '/' + id + '/kyb'),
    show: fields,
  },
  {
    words: 'tenants kyb approve',
    names: 'TENANT',
    about: 'Approves the KYB of a tenant and opens live to it.',
    fields: { reason: takes('reason') },
    run: changes((id) => TENANTS + '/' + id + '/kyb/approve'),
    show: tenantShown,
  },
  {
    words: 'tenants kyb reject',
    names: 'TENANT',
    about: 'Rejects the KYB of a tenant.',
    fields: { reason: needs('reason') },
    run: changes((id) => TENANTS + '/' + id + '/kyb/reject'),
    show: tenantShown,
  },
  {
    words: 'tenants suspend',
    names: 'TENANT',
    about:
      'Suspends a tenant and its programs: nothing is issued, every authorization is declined.',
    fields: SUSPENSION,
    run: changes((id) => TENANTS + '/' + id + '/suspend'),
    show: tenantShown,
  },
  {
    words: 'tenants resume',
    names: 'TENANT',
    about: 'Resumes a tenant and the programs that were suspended with it.',
    fields: {},
    run: changes((id) => TENANTS + '/' + id + '/resume'),
    show: tenantShown,
  },
  {
    words: 'keys issue',
    names: 'TENANT',
    about: 'Makes a secret key for a tenant and prints it, this once.',
    fields: {
      environment: needs(ENVIRONMENT),
      scope: takes('read, write or admin (default: admin)'),
      name: takes('name of the key'),
    },
    run: changes((id) => TENANTS + '/' + id + '/api_keys'),
    show: keyIssued,
  },
]

const GRANT_COMMANDS: readonly Command[] = [
  {
    words: 'grant realtime',
    names: 'TENANT',
    about: 'Allows a tenant real-time authorization.',
    fields: {},
    run: (call, id) => call.send('PUT', TENANTS + '/' + id + '/realtime', { entitled: true }),
    show: tenantShown,
  },
  {
    words: 'revoke realtime',
    names: 'TENANT',
    about: 'Ends real-time authorization for a tenant.',
    fields: {},
    run: (call, id) => call.send('PUT', TENANTS + '/' + id + '/realtime', { entitled: false }),
    show: tenantShown,
  },
  {
    words: 'grant payments',
    names: 'TENANT',
    about: 'Allows a tenant payments in live.',
    fields: {},
    run: (call, id) => call.send('PUT', TENANTS + '/' + id + '/payments', { entitled: true }),
    show: tenantShown,
  },
  {
    words: 'revoke payments',
    names: 'TENANT',
    about: 'Ends payments in live for a tenant.',
    fields: {},
    run: (call, id) => call.send('PUT', TENANTS + '/' + id + '/payments', { entitled: false }),
    show: tenantShown,
  },
  {
    words: 'grant rate-limit',
    names: 'TENANT',
    about: 'Raises the rate limits of a tenant’s sandbox for a while.',
    fields: {
      factor: needs('factor of the usual limits, 1 to 1000', 'number'),
      seconds: needs('duration, thirty days at most', 'number'),
    },
    run: changes((id) => TENANTS + '/' + id + '/rate_limit', 'PUT'),
    show: tenantShown,
  },
  {
    words: 'revoke rate-limit',
    names: 'TENANT',
    about: 'Restores the usual rate limits of a tenant’s sandbox.',
    fields: {},
    run: (call, id) => call.send('DELETE', TENANTS + '/' + id + '/rate_limit'),
    show: tenantShown,
  },
]

const PROGRAM_COMMANDS: readonly Command[] = [
  {
    words: 'programs list',
    names: null,
    about: 'Programs of all tenants, newest first.',
    fields: {
      'tenant-id': takes('only those of this tenant'),
      environment: takes(ENVIRONMENT),
      status: takes('pending, active, suspended or rejected'),
    },
    run: (call, _id, given) => call.list(PROGRAMS, given),
    show: programLines,
  },
  {
    words: 'programs show',
    names: 'PROGRAM',
    about: 'One program.',
    fields: {},
    run: (call, id) => call.read(PROGRAMS + '/' + id),
    show: fields,
  },
  {
    words: 'programs activate',
    names: 'PROGRAM',
    about: 'Activates a program: cards may be issued. In live the tenant’s KYB must be approved.',
    fields: {},
    run: changes((id) => PROGRAMS + '/' + id + '/activate'),
    show: fields,
  },
  {
    words: 'programs reject',
    names: 'PROGRAM',
    about: 'Rejects a program that waits for its activation.',
    fields: { reason: needs('reason; the tenant reads it') },
    run: changes((id) => PROGRAMS + '/' + id + '/reject'),
    show: fields,
  },
  {
    words: 'programs suspend',
    names: 'PROGRAM',
    about:
      'Suspends a program: nothing is issued, every authorization is declined; the tenant cannot lift it.',
    fields: SUSPENSION,
    run: changes((id) => PROGRAMS + '/' + id + '/suspend'),
    show: fields,
  },
  {
    words: 'programs resume',
    names: 'PROGRAM',
    about: 'Resumes a program.',
    fields: {},
    run: changes((id) => PROGRAMS + '/' + id + '/resume'),
    show: fields,
  },
]

export const COMMANDS: readonly Command[] = [
  ...TENANT_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...PROGRAM_COMMANDS,
  ...GRANT_COMMANDS,
  ...CARDHOLDER_COMMANDS,
  ...CARD_COMMANDS,
  ...NETWORK_COMMANDS,
  ...FX_COMMANDS,
  ...SETTLEMENT_COMMANDS,
  ...BILLING_COMMANDS,
  ...OPERATOR_COMMANDS,
]
