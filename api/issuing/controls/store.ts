// Every SQL statement about spending controls, their versions and their compiled form. Each names
// the owner.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import { type ControlTerms, OPEN_TERMS } from '../../../shared/schemas/spending-control.ts'
import type {
  CardStatus,
  ControlConfig,
  ControlScope,
} from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import type { CreatedFilters } from '../../database/created-filter.ts'
import { createdAmong, findNumbersInOrder } from '../../database/created-spans.ts'
import { type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { ControlRow, ControlState, ShadowRow, VersionRow } from './view.ts'

/** A version that an earlier release wrote lacks later terms: they are open. */
function wholeTerms(sql: SqlTag) {
  return sql`${JSON.stringify(OPEN_TERMS)}::text::jsonb || v.terms as terms`
}

/** Controls with their current versions, as ControlRows. */
function controlRows(sql: SqlTag) {
  return sql`
    select s.id, s.seq, s.environment, s.scope, s.subject_id as "subjectId", s.state, s.version,
      ${wholeTerms(sql)}, s.created_at as "createdAt", v.updated_at as "updatedAt",
      v.created_by as "updatedBy", s.external_id as "externalId", s.metadata
    from spending_controls s join (
      select control_id, version as number, terms, created_at as updated_at, created_by
      from spending_control_versions
    ) v on v.control_id = s.id and v.number = s.version`
}

export async function findControl(
  sql: SqlTag,
  owner: Owner,
  id: string,
): Promise<ControlRow | null> {
  const [row] = await sql<ControlRow[]>`
    ${controlRows(sql)}
    where s.tenant_id = ${owner.tenantId} and s.environment = ${owner.environment} and s.id = ${id}`
  return row ?? null
}

export interface ControlFilters extends CreatedFilters {
  scope?: ControlScope
  subject_id?: string
  state?: ControlState
  external_id?: string
}

/** Lists in the order of creation. */
export async function listControls(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & ControlFilters,
): Promise<PageRows<ControlRow>> {
  const { scope, subject_id, state, external_id } = query
  const periods = { table: 'spending_controls', filters: query }
  const numbers = await findNumbersInOrder(sql, owner, periods)
  return readPage<ControlRow>(sql, query, {
    list: 'spending_controls',
    column: 's.seq',
    positionOf: ({ seq }) => seq,
    findPosition: async (id) => (await findControl(sql, owner, id))?.seq ?? null,
    select: (range, ordered) => sql<ControlRow[]>`
      ${controlRows(sql)}
      where s.tenant_id = ${owner.tenantId} and s.environment = ${owner.environment}
        ${createdAmong(sql, 's.seq', { numbers, filters: query })}
        ${scope === undefined ? sql`` : sql`and s.scope = ${scope}`}
        ${subject_id === undefined ? sql`` : sql`and s.subject_id = ${subject_id}`}
        ${state === undefined ? sql`` : sql`and s.state = ${state}`}
        ${external_id === undefined ? sql`` : sql`and s.external_id = ${external_id}`}
        and ${range}
      ${ordered}`,
  })
}

/** Lists by number, newest first by default. */
export async function listVersions(
  sql: SqlTag,
  owner: Owner,
  query: PageQuery & { controlId: string },
): Promise<PageRows<VersionRow>> {
  return readPage<VersionRow>(sql, query, {
    list: 'spending_control_versions',
    column: 'v.version',
    positionOf: ({ version }) => version,
    select: (range, ordered) => sql<VersionRow[]>`
      select v.control_id as "controlId", v.version, v.state, ${wholeTerms(sql)},
        v.created_by as "createdBy", v.created_at as "createdAt"
      from spending_control_versions v join spending_controls s on s.id = v.control_id
      where s.tenant_id = ${owner.tenantId} and s.environment = ${owner.environment}
        and s.id = ${query.controlId} and ${range}
      ${ordered}`,
  })
}

/** The subject that a control binds. */
export interface SubjectRow {
  scope: ControlScope
  id: string
  /** Currency of a card or account; null for subjects whose cards may have several currencies. */
  currency: string | null
  /** The status of a card, or an account's as the engine reads it; null for other subjects. */
  cardStatus: CardStatus | null
}

/** Locks the subject until the transaction ends, so its compiled controls have one writer. */
export async function lockSubject(
  sql: TxSql,
  owner: Owner,
  { scope, id }: { scope: ControlScope; id: string },
): Promise<SubjectRow | null> {
  const owned = sql`
    tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  if (scope === 'payment_account') {
    const [row] = await sql<{ cardStatus: CardStatus }[]>`
      select case status
          when 'pending' then 'issued' when 'closed' then 'terminated' else status
        end as "cardStatus"
      from payment_accounts where ${owned}`
    return row === undefined ? null : { scope, id, currency: 'USD', ...row }
  }
  if (scope !== 'card') {
    const table = scope === 'program' ? 'programs' : 'cardholders'
    const [row] = await sql<{ id: string }[]>`select id from ${sql(table)} where ${owned}`
    return row === undefined ? null : { scope, id, currency: null, cardStatus: null }
  }
  const [row] = await sql<{ currency: string; cardStatus: CardStatus }[]>`
    select currency, status as "cardStatus" from cards where ${owned}`
  return row === undefined ? null : { scope, id, ...row }
}

export interface NewControl {
  id: string
  scope: ControlScope
  subjectId: string
  state: ControlState
  /** The tenant fields; absent if no caller made the control. */
  own?: TenantFields
}

/** Inserts a control without a version: `insertVersion` adds the first. */
export async function insertControl(
  sql: TxSql,
  owner: Owner,
  { id, scope, subjectId, state, own, now }: NewControl & { now: EpochMs },
): Promise<void> {
  await sql`
    insert into spending_controls (
      id, tenant_id, environment, scope, subject_id, state, version, created_at,
      external_id, metadata
    ) values (
      ${id}, ${owner.tenantId}, ${owner.environment}, ${scope}, ${subjectId}, ${state}, 1, ${now},
      ${own?.externalId ?? null}, ${JSON.stringify(own?.metadata ?? {})}::text::jsonb
    )`
}

export interface NewVersion {
  controlId: string
  version: number
  state: ControlState
  terms: ControlTerms
  /** Null if the control binds no card. */
  compiled: ControlConfig | null
  createdBy: string | null
  now: EpochMs
}

/** Appends a version and makes it the current one. */
export async function insertVersion(
  sql: TxSql,
  owner: Owner,
  version: NewVersion,
): Promise<ControlRow> {
  const { controlId, state, terms, compiled, createdBy, now } = version
  await sql`
    with current as (
      update spending_controls set version = ${version.version}, state = ${state}
      where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${controlId}
      returning id
    )
    insert into spending_control_versions (
      control_id, version, state, terms, compiled, created_by, created_at
    )
    select id, ${version.version}, ${state}, ${JSON.stringify(terms)}::text::jsonb,
      ${compiled === null ? null : JSON.stringify(compiled)}::text::jsonb, ${createdBy}, ${now}
    from current`
  return rereadControl(sql, owner, controlId)
}

/** Returns the control after the transaction's own changes. */
export async function rereadControl(
  sql: TxSql,
  owner: Owner,
  controlId: string,
): Promise<ControlRow> {
  const row = await findControl(sql, owner, controlId)
  assert(row !== null, 'a control that was just written is there')
  return row
}

/** Saves the tenant fields of a locked control. */
export async function saveTenantFields(
  sql: TxSql,
  owner: Owner,
  change: TenantFields & { controlId: string },
): Promise<void> {
  await sql`
    update spending_controls set external_id = ${change.externalId},
      metadata = ${JSON.stringify(change.metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and id = ${change.controlId}`
}

/** All controls that bind a subject. */
export interface Bound {
  controls: number
  limits: number
  bytes: number
}

/** Writes the engine's form: every control of the subject that is not retired, drafts included. */
export async function compileSubject(
  sql: TxSql,
  owner: Owner,
  subject: { scope: ControlScope; id: string },
): Promise<Bound> {
  const [bound] = await sql<Bound[]>`
    insert into controls (subject_id, scope, tenant_id, environment, controls)
    select ${subject.id}, ${subject.scope}, ${owner.tenantId}, ${owner.environment},
      coalesce(jsonb_agg(v.compiled order by s.seq), '[]')
    from spending_controls s
    join spending_control_versions v on v.control_id = s.id and v.version = s.version
    where s.tenant_id = ${owner.tenantId} and s.environment = ${owner.environment}
      and s.subject_id = ${subject.id} and s.state <> 'retired'
    on conflict (subject_id) do update set controls = excluded.controls
      where controls.tenant_id = ${owner.tenantId} and controls.environment = ${owner.environment}
    returning jsonb_array_length(controls) as controls, octet_length(controls::text) as bytes,
      jsonb_array_length(jsonb_path_query_array(controls, '$[*].limits[*]')) as limits`
  assert(bound !== undefined, 'a subject’s controls are its tenant’s')
  return bound
}

/** Moves the controls of one card to another; the caller locks and compiles both. */
async function moveToCard(
  sql: TxSql,
  owner: Owner,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await sql`
    update spending_controls set subject_id = ${to}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment}
      and scope = 'card' and subject_id = ${from}`
}

/** One verdict of a draft, as the journal recorded it. */
export interface ShadowVerdictRow {
  controlId: string
  version: number
  /** Null: the draft would have approved the authorization. */
  reason: string | null
  atMs: EpochMs
}

/**
 * Counts verdicts of drafts. Rows of unknown controls are left out: the journal may outlive its
 * database.
 */
export async function recordShadowVerdicts(
  sql: TxSql,
  verdicts: readonly ShadowVerdictRow[],
): Promise<void> {
  if (verdicts.length === 0) return
  await sql`
    insert into spending_control_shadow as held (
      control_id, version, reason, verdicts, first_at, last_at
    )
    select given."controlId", given.version, coalesce(given.reason, ''), count(*),
      min(given."atMs"), max(given."atMs")
    from json_to_recordset(${JSON.stringify(verdicts)}::text::json) as given (
      "controlId" text, version integer, reason text, "atMs" bigint
    )
    join spending_controls s on s.id = given."controlId"
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (control_id, version, reason) do update set
      verdicts = held.verdicts + excluded.verdicts,
      first_at = least(held.first_at, excluded.first_at),
      last_at = greatest(held.last_at, excluded.last_at)`
}

export async function findShadow(
  sql: SqlTag,
  owner: Owner,
  controlId: string,
): Promise<readonly ShadowRow[]> {
  return sql<ShadowRow[]>`
    select h.version, h.reason, h.verdicts, h.first_at as "firstAt", h.last_at as "lastAt"
    from spending_control_shadow h join spending_controls s on s.id = h.control_id
    where s.tenant_id = ${owner.tenantId} and s.environment = ${owner.environment}
      and s.id = ${controlId}
    order by h.version, h.verdicts desc, h.reason`
}

/** The caller locks both cards. */
export async function handOnControls(
  sql: TxSql,
  owner: Owner,
  cards: { from: string; to: string },
): Promise<void> {
  await moveToCard(sql, owner, cards)
  for (const id of [cards.from, cards.to]) await compileSubject(sql, owner, { scope: 'card', id })
}
