// Every SQL statement about mails. A mail belongs to no tenant: its recipient may have several.
import type { EpochMs } from '../../../shared/clock.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { Template } from './templates.ts'

interface NewMail {
  id: string
  recipient: string
  template: Template
  sealed: string
  createdAt: EpochMs
  endsAt: EpochMs
}

export async function insertMail(sql: TxSql, mail: NewMail): Promise<void> {
  const { id, recipient, template, sealed, createdAt, endsAt } = mail
  await sql`
    insert into mails (id, recipient, template, sealed, created_at, ends_at, due_at)
    values (${id}, ${recipient}, ${template}, ${sealed}, ${createdAt}, ${endsAt}, ${createdAt})`
}

/** A mail that this process may send until its lease ends. */
export interface ClaimedMail {
  id: string
  recipient: string
  template: Template
  sealed: string
  createdAt: EpochMs
  /** This attempt included. */
  attempts: number
}

/** Claims mails that are due; another process may claim them again at `leaseUntil`. */
export async function claimMails(
  sql: SqlTag,
  claim: { now: EpochMs; leaseUntil: EpochMs; most: number },
): Promise<ClaimedMail[]> {
  return sql<ClaimedMail[]>`
    update mails set attempts = attempts + 1, due_at = ${claim.leaseUntil}
    where id = any (array(
      select id from mails where due_at <= ${claim.now} and ends_at > ${claim.now}
      order by due_at limit ${claim.most} for update skip locked
    ))
    returning id, recipient, template, sealed, created_at as "createdAt", attempts`
}

type Attempt = Pick<ClaimedMail, 'id' | 'attempts'>

/** Saves that the mail was accepted. A process whose lease ended meanwhile changes nothing. */
export async function saveSent(sql: SqlTag, mail: Attempt, now: EpochMs): Promise<void> {
  await sql`
    update mails set sent_at = ${now}, sealed = null, due_at = null, problem = null
    where id = ${mail.id} and attempts = ${mail.attempts} and due_at is not null`
}

/** Saves a failure: the mail waits until `dueAt`, or is given up where that is null. */
export async function saveFailure(
  sql: SqlTag,
  mail: Attempt,
  failure: { problem: string; dueAt: EpochMs | null; now: EpochMs },
): Promise<void> {
  const { problem, dueAt, now } = failure
  if (dueAt !== null) {
    await sql`
      update mails set due_at = ${dueAt}, problem = ${problem}
      where id = ${mail.id} and attempts = ${mail.attempts} and due_at is not null`
    return
  }
  await sql`
    update mails set failed_at = ${now}, sealed = null, due_at = null, problem = ${problem}
    where id = ${mail.id} and attempts = ${mail.attempts} and due_at is not null`
}

/** Gives up mails of no more use; returns their number. */
export async function endUseless(
  sql: SqlTag,
  which: { now: EpochMs; max: number },
): Promise<number> {
  const ended = await sql`
    update mails set failed_at = ${which.now}, sealed = null, due_at = null,
      problem = coalesce(problem, 'not tried')
    where id = any (array(
      select id from mails where due_at <= ${which.now} and ends_at <= ${which.now}
      order by due_at limit ${which.max} for update skip locked
    ))`
  return ended.count
}

/** Deletes mails that ended, by their creation. */
export async function deleteMails(
  sql: SqlTag,
  which: { before: EpochMs; max: number },
): Promise<number> {
  const deleted = await sql`
    delete from mails where id = any (array(
      select id from mails where due_at is null and created_at < ${which.before}
      order by created_at limit ${which.max} for update skip locked
    ))`
  return deleted.count
}
