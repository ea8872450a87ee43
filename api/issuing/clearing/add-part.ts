// Takes a part of a clearing file and compares each of its entries with the recorded message. It
// never changes a sum.
import { createHash } from 'node:crypto'
import type { ClearingEntry, ClearingFile } from '../../../shared/schemas/clearing-file.ts'
import type { OperatorContext } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { write } from '../../write/write.ts'
import {
  entryKey,
  findFile,
  heldPart,
  insertExceptions,
  insertPart,
  lockFile,
  type NewException,
  nameEntries,
  type RecordedMessage,
  recordedMessages,
} from './store.ts'
import { exceptionOf } from './verdict.ts'
import { type ClearingFileRow, clearingFileView, recordedAmount } from './view.ts'

interface PartInput {
  clearingFileId: string
  /** From 1; a part may come before an earlier one. */
  part: number
  entries: readonly ClearingEntry[]
}

/** The same part again changes nothing; other entries under its number are refused (409). */
export async function addPart(context: OperatorContext, input: PartInput): Promise<ClearingFile> {
  const { clearingFileId, part, entries } = input
  return write(context, async (sql) => {
    const file = await lockFile(sql, clearingFileId)
    if (file === null) throw new Refusal('resource_missing')
    const hash = hashOf(entries)
    const held = await heldPart(sql, { clearingFileId, part })
    if (held !== null) {
      if (!held.equals(hash)) throw new Refusal('clearing_file_differs', { param: 'entries' })
      return clearingFileView(file)
    }
    requireState(file.status, ['open'])
    const found = await exceptionsIn(sql, file, entries)
    const counts = { entries: entries.length, matched: entries.length - found.length }
    await insertPart(sql, { clearingFileId, part, hash, ...counts })
    await insertExceptions(sql, file, { found, now: context.now })
    return clearingFileView((await findFile(sql, clearingFileId)) ?? file)
  })
}

function hashOf(entries: readonly ClearingEntry[]): Buffer {
  const said = entries.map(({ message_id, kind, amount_cents, currency }) => [
    message_id,
    kind,
    amount_cents,
    currency,
  ])
  return createHash('sha256').update(JSON.stringify(said)).digest()
}

async function exceptionsIn(
  sql: TxSql,
  file: ClearingFileRow,
  entries: readonly ClearingEntry[],
): Promise<NewException[]> {
  const fresh = await nameEntries(sql, file, entries)
  const recorded = await recordedMessages(sql, file, entries)
  return entries.flatMap((entry) => {
    const key = entryKey(entry)
    const message = recorded.get(key) ?? null
    // The first of repeated entries in this part counts.
    if (!fresh.delete(key)) return exception('named_twice', entry, message)
    const amount = message === null ? null : recordedAmount(message.entry)
    const kind = exceptionOf(entry, amount)
    return kind === null ? [] : exception(kind, entry, message)
  })
}

function exception(
  kind: NewException['kind'],
  entry: ClearingEntry,
  message: RecordedMessage | null,
): NewException[] {
  return [
    {
      kind,
      message_id: entry.message_id,
      message_kind: entry.kind,
      file_amount: entry.amount_cents,
      file_currency: entry.currency,
      tenant_id: message?.tenantId ?? null,
      transaction_id: message?.transactionId ?? null,
      sequence: message?.sequence ?? null,
    },
  ]
}
