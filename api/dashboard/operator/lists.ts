// Lists of operators: tenants and their people, programs, alerts, clearing, platforms, operators
// and their audit log.
import { type Html, html } from '../../../shared/html.ts'
import type { AuditLogEntry, AuditVerification } from '../../../shared/schemas/audit-log-entry.ts'
import type { ClearingException, ClearingFile } from '../../../shared/schemas/clearing-file.ts'
import type { OauthClient } from '../../../shared/schemas/oauth.ts'
import type { Operator, OperatorProgram } from '../../../shared/schemas/operator.ts'
import type { OperatorApproval } from '../../../shared/schemas/operator-approval.ts'
import type { OperatorPerson } from '../../../shared/schemas/person.ts'
import type { OperatorSanctionsAlert } from '../../../shared/schemas/sanctions-alert.ts'
import type { Tenant } from '../../../shared/schemas/tenant.ts'
import { chainNotice, checkedFrom } from '../parts/chain.ts'
import { figures } from '../parts/figure.ts'
import { seconds } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { notice, panelError } from '../parts/panel.ts'
import { alertTag, tag, wordsOf } from '../parts/tag.ts'
import { type Desk, type Listed, read, segment } from './desk.ts'
import { deskList, move, shortId } from './list.ts'

export const tenants = deskList<Tenant>({
  ...{ path: '/operator/tenants', title: 'Tenants', menu: 'Tenants', of: '/tenants' },
  filters: [
    { name: 'kyb_status', label: 'KYB', options: ['pending', 'submitted', 'approved', 'rejected'] },
    { name: 'status', label: 'Status', options: ['active', 'suspended'] },
  ],
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'KYB', cell: ({ kyb_status: kyb }) => tag(kyb) },
    { label: 'Legal name', cell: ({ legal_name: name }) => name },
    { label: 'Country', cell: ({ country }) => country },
    { label: 'Id', cell: ({ id }) => shortId(id) },
    { label: 'Since', cell: ({ created }) => seconds(created) },
  ],
  href: ({ id }) => '/operator/tenants/' + id,
  empty: 'There is no tenant yet. A sign-up makes one.',
  first: null,
})

export const people = deskList<OperatorPerson>({
  ...{ path: '/operator/tenants/:id/people', title: 'People of the tenant' },
  of: (desk) => '/tenants/' + segment(desk, 'id') + '/people',
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Email', cell: ({ email }) => email },
    { label: 'Role', cell: ({ role }) => role },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'Actions', isActions: true, cell: ({ id }) => move('reset_factor', id) },
  ],
  empty: 'Nobody belongs to the tenant. An owner invites people, or an operator lets one in.',
  first: null,
})

export const programs = deskList<OperatorProgram>({
  ...{ path: '/operator/programs', title: 'Programs', menu: 'Programs', of: '/programs' },
  filters: [
    { name: 'status', label: 'Status', options: ['pending', 'active', 'suspended', 'rejected'] },
    { name: 'environment', label: 'Environment', options: ['sandbox', 'live'] },
    { name: 'tenant_id', label: 'Tenant id' },
  ],
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'In', cell: ({ livemode }) => (livemode ? 'live' : 'sandbox') },
    { label: 'Tenant', cell: ({ tenant_id: id }, { tenant }) => tenant(id) },
    { label: 'Currency', cell: ({ currency }) => currency },
    { label: 'Made', cell: ({ created }) => seconds(created) },
    {
      label: 'Actions',
      isActions: true,
      cell: ({ id, status }) =>
        html`<span class="actions">${status === 'pending' ? [move('activate_program', id), move('reject_program', id)] : null}${status === 'active' ? move('suspend_program', id) : null}${status === 'suspended' ? move('resume_program', id) : null}</span>`,
    },
  ],
  empty: 'No tenant has a program yet. A program that a tenant makes waits here to be activated.',
  first: null,
})

export const alerts = deskList<OperatorSanctionsAlert>({
  ...{ path: '/operator/alerts', title: 'Sanctions alerts', menu: 'Sanctions alerts' },
  of: '/sanctions_alerts',
  filters: [
    { name: 'status', label: 'Status', options: ['open', 'dismissed', 'confirmed'] },
    { name: 'tenant_id', label: 'Tenant id' },
    { name: 'cardholder_id', label: 'Cardholder id' },
  ],
  columns: [
    { label: 'Best hit', cell: ({ hits: [best] }) => best?.name ?? 'none' },
    {
      label: 'Score',
      isNumber: true,
      cell: ({ hits: [best] }) => (best === undefined ? null : best.score + ' of 100'),
    },
    {
      label: 'List',
      cell: ({ hits: [best] }) => (best === undefined ? null : best.kind + ', ' + best.program),
    },
    { label: 'Status', cell: ({ status }) => alertTag(status) },
    { label: 'Cardholder', cell: ({ cardholder_id: id }) => shortId(id) },
    { label: 'Tenant', cell: ({ tenant_id: id }, { tenant }) => tenant(id) },
    { label: 'Since', cell: ({ created }) => seconds(created) },
    {
      label: 'Actions',
      isActions: true,
      cell: ({ id, status }) => (status === 'open' ? move('review_alert', id) : null),
    },
  ],
  empty:
    'No screening has found anybody. A cardholder who resembles a listed person opens an alert.',
  first: null,
})

const differing = ({ exceptions }: ClearingFile): number =>
  Object.values(exceptions).reduce((sum, count) => sum + count, 0)

export const clearing = deskList<ClearingFile>({
  ...{ path: '/operator/clearing', title: 'Clearing files', menu: 'Clearing' },
  of: '/clearing_files',
  filters: [
    { name: 'network', label: 'Network' },
    { name: 'status', label: 'Status', options: ['open', 'closed'] },
    { name: 'business_date', label: 'Day, as 2026-11-26' },
  ],
  columns: [
    { label: 'File', cell: ({ network, file_id: id }) => network + ' ' + id },
    { label: 'Day', cell: ({ business_date: day }) => day },
    { label: 'Status', cell: ({ status }) => tag(status, status === 'open' ? 'warn' : 'good') },
    { label: 'Entries', isNumber: true, cell: ({ entries }) => countText(entries) },
    { label: 'Matched', isNumber: true, cell: ({ matched }) => countText(matched) },
    { label: 'Differences', isNumber: true, cell: (of) => countText(differing(of)) },
  ],
  href: ({ id }) => '/operator/clearing/' + id,
  empty: 'No network has sent a file yet. The receiver of a network opens one for each day.',
  first: {
    path: '/clearing_files',
    body: {
      ...{ environment: 'sandbox', network: 'visa', file_id: 'day-1' },
      business_date: '2026-11-26',
    },
  },
})

function fileFigures(of: ClearingFile): Html {
  return figures([
    { label: 'File', value: of.network + ' ' + of.file_id, note: of.business_date },
    { label: 'Status', value: wordsOf(of.status) },
    { label: 'Entries', value: countText(of.entries), note: countText(of.matched) + ' matched' },
    { label: 'Differences', value: countText(differing(of)) },
  ])
}

const amount = (of: { amount_cents: number; currency: string } | null): string | null =>
  of === null ? null : moneyText(of.amount_cents, of.currency)

export const clearingFile = deskList<ClearingException & { id?: string }>({
  ...{ path: '/operator/clearing/:id', title: 'Differences of a clearing file' },
  of: (desk) => '/clearing_files/' + segment(desk, 'id') + '/exceptions',
  async before(desk) {
    const path = '/operator/v1/clearing_files/' + segment(desk, 'id')
    const file = await read<ClearingFile>(desk, path)
    return file.ok ? fileFigures(file.value) : panelError(file.problem)
  },
  filters: [
    {
      ...{ name: 'kind', label: 'Kind' },
      options: [
        ...['amount_mismatch', 'currency_mismatch', 'missing_here', 'missing_in_file'],
        'named_twice',
      ],
    },
  ],
  columns: [
    { label: 'Kind', cell: ({ kind }) => tag(kind, 'warn') },
    { label: 'Message', cell: ({ message_id: id }) => html`<code>${id}</code>` },
    { label: 'In the file', isNumber: true, cell: ({ in_file: of }) => amount(of) },
    { label: 'Recorded', isNumber: true, cell: ({ recorded }) => amount(recorded) },
    { label: 'Tenant', cell: ({ tenant_id: id }, { tenant }) => tenant(id) },
    { label: 'Transaction', cell: ({ transaction_id: id }) => shortId(id) },
  ],
  empty: 'Every entry of the file agrees with what is recorded.',
  first: null,
})

export const clients = deskList<OauthClient>({
  ...{ path: '/operator/clients', title: 'Platforms', menu: 'Platforms', of: '/oauth_clients' },
  filters: [{ name: 'status', label: 'Status', options: ['active', 'disabled'] }],
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'In', cell: ({ environment }) => environment },
    { label: 'Kind', cell: ({ kind }) => kind },
    { label: 'Scopes', cell: ({ scopes }) => scopes.join(' ') },
    {
      label: 'Secret',
      cell: ({ last4 }) => (last4 === null ? null : html`<code>…${last4}</code>`),
    },
    {
      label: 'Actions',
      isActions: true,
      cell: ({ id, status, kind }) =>
        html`<span class="actions">${kind === 'confidential' ? move('rotate_client', id) : null}${move(status === 'active' ? 'disable_client' : 'enable_client', id)}</span>`,
    },
  ],
  empty: 'No platform acts for tenants. A platform that you add may ask them for access.',
  first: {
    path: '/oauth_clients',
    body: {
      ...{ environment: 'sandbox', name: 'Ledger Co', kind: 'confidential' },
      ...{ redirect_uris: ['https://platform.example/'], scopes: ['card:read'] },
    },
  },
  actions: move('make_client'),
})

export const operators = deskList<Operator>({
  ...{ path: '/operator/operators', title: 'Operators', menu: 'Operators', of: '/operators' },
  before: lastPerson,
  columns: [
    { label: 'Name', cell: ({ name }) => name },
    {
      label: 'Status',
      cell: ({ status, expires_at: end }, { now }) =>
        tag(status === 'active' && end !== null && end * 1000 <= now ? 'expired' : status),
    },
    { label: 'Credential', cell: ({ last4 }) => html`<code>…${last4}</code>` },
    { label: 'Scope', cell: ({ scope }) => scope },
    { label: 'Works on pages as', cell: ({ email }) => long(email) },
    { label: 'Ends', cell: ({ expires_at: at }) => (at === null ? 'never' : seconds(at)) },
    {
      label: 'From',
      cell: ({ cidrs }) => (cidrs.length === 0 ? 'anywhere' : long(cidrs.join(', '))),
    },
    { label: 'Made', cell: ({ created }) => seconds(created) },
    {
      label: 'Actions',
      isActions: true,
      cell: ({ id, status, scope, cidrs }) =>
        status === 'active'
          ? html`<span class="actions">${move('bound_operator', id, { cidrs: cidrs.join('\n') })}${scope === 'all' ? move('link_operator', id) : null}${move('revoke_operator', id)}</span>`
          : null,
    },
  ],
  empty: 'There is no operator.',
  first: { path: '/operators', body: { name: 'Grace Hopper' } },
  actions: move('make_operator'),
})

/** A text that may break inside a word, so that no column is wider than its place. */
function long(text: string | null): Html | null {
  return text === null ? null : html`<span class="long">${text}</span>`
}

/** Warns while the pages hang on one person. */
async function lastPerson(desk: Desk): Promise<Html> {
  const outcome = await read<Listed<Operator>>(desk, '/operator/v1/operators?limit=100')
  if (!outcome.ok || outcome.value.has_more) return html``
  const [only, ...others] = outcome.value.data.filter(
    ({ email, status, expires_at: end }) =>
      email !== null && status === 'active' && (end === null || end * 1000 > desk.now),
  )
  if (only === undefined || others.length > 0) return html``
  const end = only.expires_at === null ? '' : html` on ${seconds(only.expires_at)}`
  return notice(
    'warn',
    html`Only ${only.name} has a person. Where this credential ends${end}, or the passkeys are lost, only the command <code>bootstrap --lost</code> opens these pages again: name the person of another operator.`,
  )
}

export const approvals = deskList<OperatorApproval>({
  ...{ path: '/operator/approvals', title: 'Calls that need a second operator' },
  ...{ menu: 'Approvals', of: '/operator_approvals' },
  filters: [{ name: 'operator_id', label: 'Operator id' }],
  columns: [
    { label: 'Effect', cell: ({ operation }) => operation },
    { label: 'Status', cell: ({ status }) => tag(status) },
    { label: 'By', cell: ({ operator_name: name }) => name },
    { label: 'Call', cell: ({ method, path }) => html`<code>${method} ${path}</code>` },
    {
      label: 'Fields',
      cell: ({ fields }) => fields.map(({ name, value }) => name + ': ' + value).join(', '),
    },
    { label: 'Until', cell: ({ expires_at: at }) => seconds(at) },
    {
      label: 'Actions',
      isActions: true,
      cell: ({ id, status }) =>
        status === 'pending' || status === 'approved'
          ? html`<span class="actions">${status === 'pending' ? move('approve_call', id) : null}${move('deny_call', id)}</span>`
          : null,
    },
  ],
  empty:
    'No call waits. In an installation that serves live, calls that make credentials or lead into an account need a second operator.',
  first: null,
})

export const auditLog = deskList<AuditLogEntry>({
  ...{ path: '/operator/audit', title: 'Audit log of operators', menu: 'Audit log' },
  of: '/audit_log',
  filters: [
    { name: 'actor', label: 'By' },
    { name: 'action', label: 'Action' },
    { name: 'resource_id', label: 'Resource' },
  ],
  columns: [
    { label: 'Row', isNumber: true, cell: ({ seq }) => seq },
    { label: 'Action', cell: ({ action }) => html`<code>${action}</code>` },
    {
      label: 'By',
      cell: ({ actor }) => html`${wordsOf(actor.type)} ${shortId(actor.id)}`,
    },
    { label: 'Resource', cell: ({ resource_id: id }) => shortId(id) },
    { label: 'Proved', cell: ({ approved_by: by }) => (by === null ? null : 'by passkey') },
    { label: 'Time', cell: ({ created }) => seconds(created) },
  ],
  async before(desk) {
    const newest = await read<Listed<AuditLogEntry>>(desk, '/operator/v1/audit_log?limit=1')
    const from = checkedFrom(desk.query, newest.ok ? (newest.value.data[0]?.seq ?? 0) : 0)
    const verified = await read<AuditVerification>(
      desk,
      '/operator/v1/audit_log/verify?from=' + from,
    )
    return chainNotice(verified, { from, path: '/operator/audit' })
  },
  empty:
    'No operator has changed anything yet. Each call of an operator that changes something becomes a row.',
  first: { path: '/operators', body: { name: 'Grace Hopper' } },
})
