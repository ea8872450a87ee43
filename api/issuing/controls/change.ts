// The common part of creating, changing, activating and retiring: the subject is locked first, so
// two writers of one subject compile one after the other.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { requireState } from '../../write/move.ts'
import { findControl, lockSubject, type SubjectRow } from './store.ts'
import type { ControlRow } from './view.ts'

/** Returns the control and its subject, locked until the transaction ends. */
export async function lockControl(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<{ control: ControlRow; subject: SubjectRow }> {
  const seen = await findControl(sql, owner, id)
  if (seen === null) throw new Refusal('resource_missing')
  const subject = await lockSubject(sql, owner, { scope: seen.scope, id: seen.subjectId })
  // The read follows the lock, so it sees a rival's commit.
  const control = await findControl(sql, owner, id)
  if (subject === null || control === null) throw new Refusal('resource_missing')
  // A replaced card passes its controls on: then the new card must be locked.
  return control.subjectId === seen.subjectId ? { control, subject } : lockControl(sql, owner, id)
}

/** Refuses (409) a subject on which no control can bind any more. */
export function requireBindable({ cardStatus }: SubjectRow): void {
  if (cardStatus !== null) requireState(cardStatus, ['issued', 'active', 'suspended'])
}
