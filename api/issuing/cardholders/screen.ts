// Screens a cardholder. A possible match is frozen in the same transaction, until a review decides
// who they are.
import { type EpochMs, unixSeconds } from '../../../shared/clock.ts'
import type { SanctionsHit } from '../../../shared/schemas/sanctions-alert.ts'
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Lists } from '../sanctions/lists.ts'
import type { Screener } from '../sanctions/screener.ts'
import {
  alertedEntries,
  hitsOf,
  insertAlert,
  listNumber,
  openAlerts,
  personKey,
  subjectOf,
} from '../screening/index.ts'
import { freezeForAlert } from './freeze.ts'
import { type ScreeningState, saveScreening, saveScreeningState } from './store.ts'
import type { CardholderRow } from './view.ts'

export interface Screened {
  /** The cardholder as stored now. */
  cardholder: CardholderRow
  /** True for a new hit. The caller records the event after its last change. */
  alerted: boolean
}

export interface ScreeningPort {
  /** Lists of people who must not become cardholders. */
  lists: Lists
}

interface Asking {
  lists: Lists
  /** Id of the alert that a hit creates. */
  alertId: string
  /** By the tenant's clock. */
  now: EpochMs
}

/**
 * Screens a locked cardholder. Chosen: a hit on the same person and the same entry is reported
 * once, whatever its review decided; another name or date of birth, or another entry, makes a new
 * hit. Blocks during the comparison, less than 10 ms.
 */
export async function screenCardholder(
  sql: TxSql,
  owner: Owner,
  cardholder: CardholderRow,
  { lists, alertId, now }: Asking,
): Promise<Screened> {
  const { id: cardholderId } = cardholder
  const screener = lists.current()
  const { person, fresh } = await freshHits(sql, owner, cardholder, screener)
  const alerted = fresh.length > 0
  const { version: listVersion } = screener
  if (alerted)
    await raiseAlert(sql, owner, { alertId, cardholderId, person, hits: fresh, listVersion, now })

  const screening = {
    ...(await screeningState(sql, owner, cardholderId)),
    screened_at: unixSeconds(now),
    list_version: listVersion,
  }
  const number = await listNumber(sql, listVersion)
  const screened = await saveScreening(sql, owner, { cardholderId, screening, number })
  return { cardholder: screened, alerted }
}

/** Hits of a locked cardholder that no alert has yet, and the hash of the person. */
export async function freshHits(
  sql: TxSql,
  owner: Owner,
  { id: cardholderId, name, details }: CardholderRow,
  screener: Screener,
): Promise<{ person: string; fresh: SanctionsHit[] }> {
  const subject = subjectOf(name, details)
  const person = personKey(subject)
  const hits = hitsOf(screener, subject)
  if (hits.length === 0) return { person, fresh: [] }
  const known = await alertedEntries(sql, owner, { cardholderId, person })
  return { person, fresh: hits.filter((hit) => !known.has(hit.listed_id)) }
}

interface Found {
  alertId: string
  cardholderId: string
  /** Hash of the screened person's data. */
  person: string
  hits: SanctionsHit[]
  listVersion: string
  /** By the tenant's clock. */
  now: EpochMs
}

/**
 * Creates every alert: stores it and freezes the locked cardholder. The caller records the event.
 */
export async function raiseAlert(
  sql: TxSql,
  owner: Owner,
  { alertId: id, cardholderId, person, hits, listVersion, now: createdAt }: Found,
): Promise<CardholderRow> {
  await insertAlert(sql, owner, { id, cardholderId, person, hits, listVersion, createdAt })
  await freezeForAlert(sql, owner, { cardholderId, reason: 'sanctions_review' })
  return updateScreeningState(sql, owner, cardholderId)
}

/** Updates the screening state of a locked cardholder after an alert was created or reviewed. */
export async function updateScreeningState(
  sql: TxSql,
  owner: Owner,
  cardholderId: string,
): Promise<CardholderRow> {
  const change = { cardholderId, screeningState: await screeningState(sql, owner, cardholderId) }
  return saveScreeningState(sql, owner, change)
}

async function screeningState(
  sql: TxSql,
  owner: Owner,
  cardholderId: string,
): Promise<ScreeningState> {
  const alerts = await openAlerts(sql, owner, cardholderId)
  const open = alerts.filter(({ status }) => status === 'open').map(({ id }) => id)
  const confirmed = open.length < alerts.length
  const status = confirmed ? 'confirmed' : open.length > 0 ? 'alert' : 'clear'
  return { status, open_alert_ids: open }
}
