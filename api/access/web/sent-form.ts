// Ids of forms that prove their person: a form that is sent twice, by a double click, acts once and
// gets the answer of the first. The same id with another content is another form.
import { assert } from '../../../shared/assert.ts'
import { randomSecret } from '../../../shared/id.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import { fieldOf } from '../../http/pages/fields.ts'
import { lockIdentity, type SignedIn } from '../identities/index.ts'
import { isTaken, takeChallenge } from '../passkeys/index.ts'
import type { SignedCall } from './signed-in.ts'

const ID_BYTES = 18
const ID = /^[\w-]{24}$/
/** Chosen: longer than the proof in any form holds. */
const KEPT_MS = 15 * 60_000

/** An id for the hidden field `form_id`. */
export function newSentFormId(): string {
  return randomSecret(ID_BYTES)
}

/** A form as it was sent; null without an id of ours. */
export interface SentForm {
  challenge: Buffer
  expiresAt: number
}

/** `content` is everything that the form changes. Only a hash is stored; the id is its salt. */
export function sentForm(
  { request, session }: Pick<SignedCall, 'request' | 'session'>,
  content: readonly string[],
): SentForm | null {
  const id = fieldOf(request, 'form_id')
  if (!ID.test(id)) return null
  const said = ['form', session.identity.id, id, request.url, ...content]
  return { challenge: Buffer.from(said.join('\n')), expiresAt: request.admittedAtMs + KEPT_MS }
}

/** Marks the form as sent, in the transaction of its change; false for one that was sent before. */
export async function takeForm(sql: TxSql, form: SentForm | null): Promise<boolean> {
  return form === null || takeChallenge(sql, form)
}

/** True for a form whose change was made. */
export async function wasSent(sql: SqlTag, form: SentForm | null): Promise<boolean> {
  return form !== null && isTaken(sql, form)
}

/**
 * Uses up the proof of a form together with the form, in the transaction of its change.
 * `repeated`: the form acted before. `used`: its proof did, in another form.
 */
export async function takeProvedForm(
  sql: TxSql,
  { identity, take }: Pick<SignedIn, 'identity' | 'take'>,
  form: SentForm | null,
): Promise<'taken' | 'repeated' | 'used'> {
  // Two changes of one person come one after the other, also where both prove by a passkey.
  await lockIdentity(sql, identity.id)
  if (await wasSent(sql, form)) return 'repeated'
  if (!(await take(sql))) return 'used'
  assert(await takeForm(sql, form), 'the person is locked since the form was looked for')
  return 'taken'
}
