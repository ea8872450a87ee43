// Only this module makes rows of clearing files and exceptions public.
import { assert } from '../../../shared/assert.ts'
import { type EpochMs, isoInstant, unixSeconds } from '../../../shared/clock.ts'
import {
  CLEARING_EXCEPTION_KINDS,
  type ClearedKind,
  type ClearingException,
  type ClearingExceptionKind,
  type ClearingFile,
} from '../../../shared/schemas/clearing-file.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import { decodeEntry } from '../../../shared/wire/journal-entry.ts'
import type { RecordedAmount } from './verdict.ts'

export interface ClearingFileRow {
  id: string
  environment: Environment
  network: string
  fileId: string
  /** `2026-11-20`. */
  businessDate: string
  status: 'open' | 'closed'
  entries: number
  matched: number
  /** Only kinds that occur. */
  exceptions: { readonly [kind in ClearingExceptionKind]?: number }
  createdAt: EpochMs
  closedAt: EpochMs | null
}

export function clearingFileView(row: ClearingFileRow): ClearingFile {
  const counts = CLEARING_EXCEPTION_KINDS.map((kind) => [kind, row.exceptions[kind] ?? 0])
  return {
    id: row.id,
    object: 'clearing_file',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    network: row.network,
    file_id: row.fileId,
    business_date: row.businessDate,
    status: row.status,
    closed_at: row.closedAt === null ? null : isoInstant(row.closedAt),
    entries: row.entries,
    matched: row.matched,
    exceptions: Object.fromEntries(counts) as ClearingFile['exceptions'],
  }
}

export interface ClearingExceptionRow {
  /** Position in the order of all exceptions. */
  seq: number
  environment: Environment
  clearingFileId: string
  network: string
  businessDate: string
  kind: ClearingExceptionKind
  messageId: string
  messageKind: ClearedKind
  fileAmount: number | null
  fileCurrency: string | null
  tenantId: string | null
  transactionId: string | null
  sequence: number | null
  /** The journal entry of the message, if it is recorded. */
  entry: Uint8Array | null
  createdAt: EpochMs
}

export function clearingExceptionView(row: ClearingExceptionRow): ClearingException {
  const { fileAmount, fileCurrency } = row
  const recorded = row.entry === null ? null : recordedAmount(row.entry)
  return {
    object: 'clearing_exception',
    created: unixSeconds(row.createdAt),
    livemode: row.environment === 'live',
    clearing_file_id: row.clearingFileId,
    network: row.network,
    business_date: row.businessDate,
    kind: row.kind,
    message_id: row.messageId,
    message_kind: row.messageKind,
    in_file:
      fileAmount === null || fileCurrency === null
        ? null
        : { amount_cents: fileAmount, currency: fileCurrency },
    recorded:
      recorded === null
        ? null
        : { amount_cents: recorded.amountCents, currency: recorded.currency },
    tenant_id: row.tenantId,
    transaction_id: row.transactionId,
    sequence: row.sequence,
  }
}

/** The amount of the network's message, in its own currency; our engine wrote the entry. */
export function recordedAmount(bytes: Uint8Array): RecordedAmount {
  const entry = decodeEntry(bytes)
  assert(entry.kind === 'decision', 'what moves money is a message')
  const { amountCents, currency } = entry.message
  return { amountCents, currency }
}
