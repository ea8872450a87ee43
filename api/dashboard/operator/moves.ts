// Every effect that operators have on pages, each one call of the operators' API.
import { OPERATOR_SCOPES } from '../../../shared/schemas/operator.ts'
import { MONEY_MOVES } from './money-moves.ts'
import { type DeskField, type DeskMove, ENVIRONMENT, REASON } from './move.ts'

const SUSPENDED_BY: DeskField = {
  ...{ name: 'suspended_by', label: 'Asked for by', kind: 'choice' },
  options: ['provider_risk', 'sponsor_bank', 'regulator'],
}
const TENANT = '/operator/tenants/{id}'

const TENANT_MOVES = {
  suspend_tenant: {
    ...{ method: 'POST', path: '/tenants/{id}/suspend', label: 'Suspend', isGrave: true },
    text: 'Suspend the tenant and its programs: every authorization is declined.',
    ...{ fields: [SUSPENDED_BY, REASON], done: 'The tenant is suspended.', back: TENANT },
  },
  resume_tenant: {
    ...{ method: 'POST', path: '/tenants/{id}/resume', label: 'Resume' },
    text: 'Lift the suspension of the tenant and of the programs suspended with it.',
    ...{ done: 'The tenant is active again.', back: TENANT },
  },
  grant_realtime: {
    ...{ method: 'PUT', path: '/tenants/{id}/realtime', label: 'Real-time decisions' },
    text: 'Say whether the tenant may be asked before an approval.',
    fields: [{ name: 'entitled', label: 'May be asked', kind: 'yes_no' }],
    ...{ done: 'The right to real-time decisions is saved.', back: TENANT },
  },
  grant_payments: {
    ...{ method: 'PUT', path: '/tenants/{id}/payments', label: 'Payments in live' },
    text: 'Say whether the tenant may take payments in live.',
    fields: [{ name: 'entitled', label: 'May take payments', kind: 'yes_no' }],
    ...{ done: 'The right to payments is saved.', back: TENANT },
  },
  lift_limits: {
    ...{ method: 'PUT', path: '/tenants/{id}/rate_limit', label: 'Raise sandbox limits' },
    text: 'Raise the rate limits of the tenant’s sandbox for a while.',
    fields: [
      { name: 'factor', label: 'Times the usual', kind: 'number' },
      { name: 'seconds', label: 'Seconds', kind: 'number' },
    ],
    ...{ done: 'The limits are raised.', back: TENANT },
  },
  restore_limits: {
    ...{ method: 'DELETE', path: '/tenants/{id}/rate_limit', label: 'Usual sandbox limits' },
    text: 'Give the tenant’s sandbox its usual rate limits again.',
    ...{ done: 'The usual limits are back.', back: TENANT },
  },
  issue_key: {
    ...{ method: 'POST', path: '/tenants/{id}/api_keys', label: 'Give a key' },
    text: 'Give the tenant a secret key; it is shown once.',
    fields: [
      ENVIRONMENT,
      { name: 'scope', label: 'Scope', kind: 'choice', options: ['read', 'write', 'admin'] },
      { name: 'name', label: 'Name', kind: 'text' },
    ],
    ...{ done: 'The key is made.', back: TENANT, showsSecret: true },
  },
  add_person: {
    ...{ method: 'POST', path: '/tenants/{id}/people', label: 'Add a person' },
    text: 'Give the tenant a person who approves calls; how they sign in is shown once.',
    fields: [
      { name: 'email', label: 'Email', kind: 'text' },
      { name: 'name', label: 'Name', kind: 'text' },
      { name: 'role', label: 'Role', kind: 'choice', options: ['owner', 'admin', 'member'] },
    ],
    ...{ done: 'The person is added.', back: TENANT, showsSecret: true },
  },
  reset_factor: {
    ...{ method: 'POST', path: '/people/{id}/reset_factor', label: 'New factor', isGrave: true },
    text: 'Give the person another second factor, shown once; the one of before ends.',
    ...{ done: 'The factor is new.', back: '/operator/tenants', showsSecret: true },
  },
} as const satisfies { readonly [name: string]: DeskMove }

const ADDRESSES: DeskField = {
  ...{ name: 'cidrs', label: 'Addresses', kind: 'lines', hint: 'one range a line; none: any' },
}
const ENDS: DeskField = {
  ...{ name: 'expires_at', label: 'Last day', kind: 'date', isOptional: true },
}
const SCOPE: DeskField = {
  ...{ name: 'scope', label: 'Scope', kind: 'choice', options: OPERATOR_SCOPES, isOptional: true },
  hint: 'read: what changes nothing; rates: exchange rates only',
}
/** Without a person who has a passkey only the database opens the pages again. */
const LAST_PERSON: DeskField = {
  ...{ name: 'confirm_last_person', label: 'Even if the last person goes', kind: 'yes_no' },
  value: 'false',
}
const PROGRAMS = '/operator/programs'
const CLIENTS = '/operator/clients'

/** By the last segment of the address that makes the move. */
export const MOVES: { readonly [name: string]: DeskMove } = {
  ...TENANT_MOVES,
  ...MONEY_MOVES,
  activate_program: {
    ...{ method: 'POST', path: '/programs/{id}/activate', label: 'Activate' },
    text: 'Activate the program: cards of it are authorized.',
    ...{ done: 'The program is active.', back: PROGRAMS },
  },
  reject_program: {
    ...{ method: 'POST', path: '/programs/{id}/reject', label: 'Reject', isGrave: true },
    text: 'Reject the program. The tenant reads the reason.',
    ...{ fields: [REASON], done: 'The program is rejected.', back: PROGRAMS },
  },
  suspend_program: {
    ...{ method: 'POST', path: '/programs/{id}/suspend', label: 'Suspend', isGrave: true },
    text: 'Suspend the program: every authorization of its cards is declined.',
    ...{ fields: [SUSPENDED_BY, REASON], done: 'The program is suspended.', back: PROGRAMS },
  },
  resume_program: {
    ...{ method: 'POST', path: '/programs/{id}/resume', label: 'Resume' },
    text: 'Lift the suspension of the program.',
    ...{ done: 'The program is active again.', back: PROGRAMS },
  },
  review_alert: {
    ...{ method: 'POST', path: '/sanctions_alerts/{id}/review', label: 'Decide' },
    text: 'Dismiss: the cardholder is another person. Confirm: the person stays frozen.',
    fields: [
      { name: 'decision', label: 'Decision', kind: 'choice', options: ['dismiss', 'confirm'] },
      { ...{ name: 'note', label: 'Note', kind: 'text', isOptional: true } },
    ],
    ...{ done: 'The alert is decided.', back: '/operator/alerts' },
  },
  publish_rates: {
    ...{ method: 'POST', path: '/fx_tables', label: 'Publish rates' },
    text: 'Publish exchange rates: the engine converts by them at once.',
    fields: [
      { name: 'source', label: 'Source', kind: 'text', hint: 'bank or service' },
      { name: 'rate_at', label: 'Moment', kind: 'text', hint: 'as 2026-11-27T15:00:00Z' },
      {
        ...{ name: 'rates', label: 'Rates', kind: 'rows', columns: ['pair', 'rate'] },
        hint: 'one a line, as EUR/USD 1.0850',
      },
      {
        ...{ name: 'confirm_large_changes', label: 'Confirm changes above 10 %', kind: 'yes_no' },
        value: 'false',
      },
    ],
    ...{ done: 'The rates are in force.', back: '/operator/rates' },
  },
  make_client: {
    ...{ method: 'POST', path: '/oauth_clients', label: 'Add a platform' },
    text: 'Let a platform ask tenants for access. Its secret is shown once.',
    fields: [
      { name: 'name', label: 'Name', kind: 'text' },
      ENVIRONMENT,
      { name: 'kind', label: 'Kind', kind: 'choice', options: ['confidential', 'public'] },
      { name: 'redirect_uris', label: 'Return addresses', kind: 'lines', hint: 'one a line' },
      { name: 'scopes', label: 'Scopes', kind: 'lines', hint: 'one a line, as card:read' },
    ],
    ...{ done: 'The platform is added.', back: CLIENTS, showsSecret: true },
  },
  rotate_client: {
    ...{ method: 'POST', path: '/oauth_clients/{id}/rotate_secret', label: 'New secret' },
    text: 'Make another secret; the old one works for 24 hours.',
    ...{ done: 'The secret is new.', back: CLIENTS, showsSecret: true },
  },
  disable_client: {
    ...{ method: 'POST', path: '/oauth_clients/{id}/disable', label: 'Disable', isGrave: true },
    text: 'Disable the platform: its tokens are refused at once.',
    ...{ done: 'The platform is disabled.', back: CLIENTS },
  },
  enable_client: {
    ...{ method: 'POST', path: '/oauth_clients/{id}/enable', label: 'Enable' },
    text: 'Enable the platform again.',
    ...{ done: 'The platform is enabled.', back: CLIENTS },
  },
  make_operator: {
    ...{ method: 'POST', path: '/operators', label: 'Add an operator' },
    text: 'Make an operator, whose credential is shown once.',
    fields: [
      { name: 'name', label: 'Name', kind: 'text' },
      SCOPE,
      { ...ENDS, hint: 'UTC, within two years; empty: a year from now' },
      ADDRESSES,
    ],
    ...{ done: 'The operator is made.', back: '/operator/operators', showsSecret: true },
  },
  bound_operator: {
    ...{ method: 'PATCH', path: '/operators/{id}', label: 'End and addresses' },
    text: 'Say how long and from which addresses the credential works.',
    fields: [{ ...ENDS, hint: 'UTC, within two years; empty: as it is' }, ADDRESSES],
    ...{ done: 'End and addresses are saved.', back: '/operator/operators' },
  },
  approve_call: {
    ...{ method: 'POST', path: '/operator_approvals/{id}/approve', label: 'Approve' },
    text: 'Approve the call of another operator, who then makes it again.',
    ...{ done: 'The call is approved.', back: '/operator/approvals' },
  },
  deny_call: {
    ...{ method: 'POST', path: '/operator_approvals/{id}/deny', label: 'Deny', isGrave: true },
    text: 'Deny the call of another operator, or take back an approval before its use.',
    ...{ done: 'The call is denied.', back: '/operator/approvals' },
  },
  link_operator: {
    ...{ method: 'POST', path: '/operators/{id}/link', label: 'Name the person' },
    text: 'Name the person who works on these pages as this operator.',
    fields: [
      { name: 'email', label: 'Email', kind: 'text', hint: 'empty: nobody', isNullable: true },
      LAST_PERSON,
    ],
    ...{ done: 'The person is named.', back: '/operator/operators' },
  },
  revoke_operator: {
    ...{ method: 'POST', path: '/operators/{id}/revoke', label: 'Revoke', isGrave: true },
    text: 'Revoke the credential of the operator for ever.',
    ...{ fields: [LAST_PERSON], done: 'The operator is revoked.', back: '/operator/operators' },
  },
}
