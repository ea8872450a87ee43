// Every SQL statement about cards and their own limits. Each names the owner: another owner's row
// does not exist.
import { assert } from '../../../shared/assert.ts'
import type { EpochMs } from '../../../shared/clock.ts'
import type { Shipping } from '../../../shared/schemas/card.ts'
import type { Metadata } from '../../../shared/schemas/tenant-fields.ts'
import type { CardStatus, CardType } from '../../../shared/wire/config-records.ts'
import type { Owner } from '../../context.ts'
import {
  type ClockedOwner,
  type CreatedFilters,
  createdWithinIds,
} from '../../database/created-filter.ts'
import { type Fragment, type PageQuery, type PageRows, readPage } from '../../database/page.ts'
import type { SqlTag } from '../../database/pool.ts'
import { fixed, NOTHING } from '../../database/static-fragments.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { TenantFields } from '../../write/tenant-fields.ts'
import type { CardNumber } from './card-number.ts'
import type { Party } from './states.ts'
import type { CardRow } from './view.ts'

/** The columns of a CardRow, with every control that binds the card. */
const CARD_COLUMNS = fixed`
    c.id, c.environment, c.program_id as "programId", c.cardholder_id as "cardholderId", c.type, c.status,
    c.suspend_reason as "suspendReason", c.terminate_reason as "terminateReason", c.token, c.last4,
    c.exp_month as "expMonth", c.exp_year as "expYear", c.currency, c.created_at as "createdAt",
    c.suspended_by as "suspendedBy", c.replaces, coalesce(c.windows_id, c.id) as "windowsId",
    c.external_id as "externalId", c.metadata, c.details ->> 'name_on_card' as "nameOnCard", c.shipping,
    (
      select coalesce(jsonb_agg(jsonb_build_object('scope', k.scope, 'controls', k.controls)), '[]')
      from controls k
      where k.subject_id in (c.id, c.cardholder_id, c.program_id)
        and k.tenant_id = c.tenant_id and k.environment = c.environment
    ) as controls`

export async function findCard(sql: SqlTag, owner: Owner, id: string): Promise<CardRow | null> {
  const [row] = await sql<CardRow[]>`
    select ${CARD_COLUMNS} from cards c
    where c.tenant_id = ${owner.tenantId} and c.environment = ${owner.environment} and c.id = ${id}`
  return row ?? null
}

/** Locks the card until the transaction ends; foreign keys to it do not wait. */
export async function lockCard(sql: TxSql, owner: Owner, id: string): Promise<CardRow | null> {
  const [locked] = await sql<{ id: string }[]>`
    select id from cards
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${id}
    for no key update`
  // Read after the lock was granted: this sees the commit of a rival, its limits included.
  return locked === undefined ? null : findCard(sql, owner, locked.id)
}

export interface CardFilters extends CreatedFilters {
  status?: CardStatus
  cardholder_id?: string
  program_id?: string
  type?: 'virtual' | 'physical'
  last4?: string
  external_id?: string
}

/** Lists by id, which is the order of creation. */
export async function listCards(
  sql: SqlTag,
  owner: ClockedOwner,
  query: PageQuery & CardFilters,
): Promise<PageRows<CardRow>> {
  return readPage<CardRow>(sql, query, {
    list: 'cards',
    column: 'c.id',
    positionOf: ({ id }) => id,
    select: (range, ordered) => sql<CardRow[]>`
      select ${CARD_COLUMNS} from cards c
      where c.tenant_id = ${owner.tenantId} and c.environment = ${owner.environment}
        ${createdWithinIds(sql, 'card', owner, query)}
        ${filtered(sql, query)} and ${range}
      ${ordered}`,
  })
}

function filtered(sql: SqlTag, query: CardFilters): Fragment {
  const { status, cardholder_id, program_id, type, last4, external_id } = query
  const given = [status, cardholder_id, program_id, type, last4, external_id]
  if (given.every((value) => value === undefined)) return NOTHING
  return sql`
    ${status === undefined ? NOTHING : ofStatus(sql, status)}
    ${cardholder_id === undefined ? NOTHING : sql`and c.cardholder_id = ${cardholder_id}`}
    ${program_id === undefined ? NOTHING : sql`and c.program_id = ${program_id}`}
    ${type === undefined ? NOTHING : ofType(sql, type)}
    ${last4 === undefined ? NOTHING : sql`and c.last4 = ${last4}`}
    ${external_id === undefined ? NOTHING : sql`and c.external_id = ${external_id}`}`
}

const RARE = fixed`and c.status <> 'active'`

/** The condition matches the partial indexes literally: a parameter would rule them out. */
function ofStatus(sql: SqlTag, status: CardStatus): Fragment {
  return status === 'active' ? sql`and c.status = 'active'` : sql`and c.status = ${status} ${RARE}`
}

function ofType(sql: SqlTag, type: 'virtual' | 'physical'): Fragment {
  return type === 'virtual' ? sql`and c.type = 'virtual'` : sql`and c.type = 'physical'`
}

export interface StatusChange {
  cardId: string
  status: CardStatus
  /** Null if the card is not suspended. */
  suspendReason: string | null
  suspendedBy: Party | null
  /** Null if the card is not terminated. */
  terminateReason: string | null
  /** The loss of a terminated card that the network learns. */
  loss: 'lost' | 'stolen' | null
}

export async function saveCardStatus(
  sql: TxSql,
  owner: Owner,
  change: StatusChange,
): Promise<CardRow> {
  await sql`
    update cards set status = ${change.status}, suspend_reason = ${change.suspendReason},
      suspended_by = ${change.suspendedBy}, terminate_reason = ${change.terminateReason},
      loss = ${change.loss}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${change.cardId}`
  return rereadCard(sql, owner, change.cardId)
}

export async function findReplacement(
  sql: TxSql,
  owner: Owner,
  cardId: string,
): Promise<CardRow | null> {
  const [row] = await sql<CardRow[]>`
    select ${CARD_COLUMNS} from cards c
    where c.tenant_id = ${owner.tenantId} and c.environment = ${owner.environment}
      and c.replaces = ${cardId}`
  return row ?? null
}

/** A new card that replaces no other. */
export interface NewCard {
  id: string
  programId: string
  cardholderId: string
  type: CardType
  status: CardStatus
  currency: string
  nameOnCard: string | null
  shipping: Shipping | null
  externalId: string | null
  metadata: Metadata
  now: EpochMs
}

/** Returns false if another card has its number. */
export async function insertCard(
  sql: TxSql,
  owner: Owner,
  card: NewCard,
  number: CardNumber,
): Promise<boolean> {
  const details = card.nameOnCard === null ? {} : { name_on_card: card.nameOnCard }
  const inserted = await sql`
    insert into cards (
      id, tenant_id, environment, program_id, cardholder_id, type, status, token, fingerprint,
      sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at, external_id,
      metadata, details, shipping
    ) values (
      ${card.id}, ${owner.tenantId}, ${owner.environment}, ${card.programId}, ${card.cardholderId},
      ${card.type}, ${card.status}, ${number.token}, ${number.fingerprint}, ${number.sealedPan},
      ${number.last4}, ${number.expMonth}, ${number.expYear}, ${number.cvcVerifier},
      ${card.currency}, ${card.now}, ${card.externalId}, ${JSON.stringify(card.metadata)}::text::jsonb,
      ${JSON.stringify(details)}::text::jsonb, ${jsonOrNull(card.shipping)}::text::jsonb
    )
    on conflict (environment, fingerprint) do nothing`
  return inserted.count === 1
}

function jsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

export interface Replacement {
  id: string
  number: CardNumber
  status: CardStatus
  shipping: Shipping | null
  now: EpochMs
}

/**
 * Inserts a card of the same cardholder, currency and kind, which continues the spend windows of
 * the one it replaces. Returns false if another card has its number.
 */
export async function insertReplacement(
  sql: TxSql,
  owner: Owner,
  cardId: string,
  { id, number, status, shipping, now }: Replacement,
): Promise<boolean> {
  const inserted = await sql`
    insert into cards (
      id, tenant_id, environment, program_id, cardholder_id, type, status, token, fingerprint,
      sealed_pan, last4, exp_month, exp_year, cvc_verifier, currency, created_at, windows_id, replaces,
      metadata, details, shipping
    )
    select ${id}, tenant_id, environment, program_id, cardholder_id, type, ${status},
      ${number.token}, ${number.fingerprint}, ${number.sealedPan}, ${number.last4},
      ${number.expMonth}, ${number.expYear}, ${number.cvcVerifier}, currency, ${now},
      coalesce(windows_id, id), id, metadata, details, ${jsonOrNull(shipping)}::text::jsonb
    from cards
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardId}
    on conflict (environment, fingerprint) do nothing`
  return inserted.count === 1
}

/**
 * Saves the tenant fields of a locked card. The engine never sees it: the card keeps its
 * version.
 */
export async function saveTenantFields(
  sql: TxSql,
  owner: Owner,
  change: TenantFields & { cardId: string },
): Promise<CardRow> {
  await sql`
    update cards set external_id = ${change.externalId},
      metadata = ${JSON.stringify(change.metadata)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${change.cardId}`
  return rereadCard(sql, owner, change.cardId)
}

/** Saves the shipment of a locked card; it makes no new version either. */
export async function saveShipping(
  sql: TxSql,
  owner: Owner,
  change: { cardId: string; shipping: Shipping },
): Promise<CardRow> {
  await sql`
    update cards set shipping = ${JSON.stringify(change.shipping)}::text::jsonb
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${change.cardId}`
  return rereadCard(sql, owner, change.cardId)
}

/**
 * Owner of a card, and the milliseconds their clock is ahead. For the installation's own people,
 * who name no tenant.
 */
export async function findOwner(
  sql: SqlTag,
  cardId: string,
): Promise<(Owner & { clockOffsetMs: number }) | null> {
  const [row] = await sql<(Owner & { clockOffsetMs: number })[]>`
    select tenant_id as "tenantId", environment, clock_offset(tenant_id, environment) as "clockOffsetMs"
    from cards where id = ${cardId}`
  return row ?? null
}

/** The keyed hash of a locked card's number. */
export async function findFingerprint(sql: TxSql, owner: Owner, cardId: string): Promise<string> {
  const [row] = await sql<{ fingerprint: string }[]>`
    select fingerprint from cards
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${cardId}`
  assert(row !== undefined, 'a locked card does not vanish')
  return row.fingerprint
}

/** The card has a new version afterwards, even if the PIN was the same. */
export async function savePinVerifier(
  sql: TxSql,
  owner: Owner,
  change: { cardId: string; pinVerifier: string },
): Promise<void> {
  await sql`
    update cards set pin_verifier = ${change.pinVerifier}
    where tenant_id = ${owner.tenantId} and environment = ${owner.environment} and id = ${change.cardId}`
}

/** The card after the transaction's own changes. */
export async function rereadCard(sql: TxSql, owner: Owner, id: string): Promise<CardRow> {
  const row = await findCard(sql, owner, id)
  assert(row !== null, 'a locked card does not vanish')
  return row
}

/** A card that a fraud rule of the engine stopped, with its owner. */
export interface StoppedCard extends Owner {
  cardId: string
  rule: string
}

/** Suspends the cards in a state of `from`, in one statement; the others stay as they are. */
export async function saveFraudSuspensions(
  sql: TxSql,
  stopped: readonly StoppedCard[],
  from: readonly CardStatus[],
): Promise<CardRow[]> {
  const suspended = await sql<{ id: string }[]>`
    with stopped as materialized (
      select k.id, g.rule
      from json_to_recordset(${JSON.stringify(stopped)}::text::json) as g (
        "cardId" text, "tenantId" text, environment text, rule text
      )
      join cards k
        on k.id = g."cardId" and k.tenant_id = g."tenantId" and k.environment = g.environment
      where k.status = any(${[...from]}::text[])
      order by k.id for no key update of k
    )
    update cards c set status = 'suspended', suspend_reason = stopped.rule, suspended_by = 'fraud_rule'
    from stopped where c.id = stopped.id
    returning c.id`
  if (suspended.length === 0) return []
  return sql<CardRow[]>`
    select ${CARD_COLUMNS} from cards c
    where c.id = any(${suspended.map(({ id }) => id)}::text[])`
}
