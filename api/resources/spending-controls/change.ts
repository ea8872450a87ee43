// What creating, changing, activating and retiring share: the subject is held first, so that two writers of one subject
// never compile past each other.
import type { Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { requireState } from '../../move.ts'
import { Refusal } from '../../refuse.ts'
import { findControl, lockSubject, type SubjectRow } from './store.ts'
import type { ControlRow } from './view.ts'

/** The control and its subject, held until the transaction ends. */
export async function holdControl(
  sql: TxSql,
  owner: Owner,
  id: string,
): Promise<{ control: ControlRow; subject: SubjectRow }> {
  const seen = await findControl(sql, owner, id)
  if (seen === null) throw new Refusal('resource_missing')
  const subject = await lockSubject(sql, owner, { scope: seen.scope, id: seen.subjectId })
  // Read after the lock was granted: what a rival committed meanwhile is seen.
  const control = await findControl(sql, owner, id)
  if (subject === null || control === null) throw new Refusal('resource_missing')
  // A replaced card hands its controls on: then it is the new card that has to be held.
  return control.subjectId === seen.subjectId ? { control, subject } : holdControl(sql, owner, id)
}

/** Refuses (409) where nothing binds any more. */
export function requireBindable({ cardStatus }: SubjectRow): void {
  if (cardStatus !== null) requireState(cardStatus, ['issued', 'active', 'suspended'])
}
