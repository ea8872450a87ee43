// What Google's wallet is told and tells beside what the room of passes keeps.
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { SqlTag } from '../../database/pool.ts'
import type { TxSql } from '../../database/transaction.ts'
import type { GoogleCallback } from './callback-signature.ts'

export interface ClassRow {
  /** The template's latest version, which its class is to show. */
  version: number
  /** What it shows; 0 before there is one. */
  shown: number
  content: PassContent
}

export async function findClass(sql: SqlTag, templateId: string): Promise<ClassRow | null> {
  const [row] = await sql<ClassRow[]>`
    select t.version, t.google_class_version as shown, v.content from pass_templates t
    join pass_template_versions v on v.template_id = t.id and v.version = t.version
    where t.id = ${templateId}`
  return row ?? null
}

/** The class shows this version, or a later one. */
export async function saveClassVersion(
  sql: SqlTag,
  templateId: string,
  version: number,
): Promise<void> {
  await sql`
    update pass_templates set google_class_version = ${version}
    where id = ${templateId} and google_class_version < ${version}`
}

/** Google does not have it, whatever we thought. */
export async function forgetClass(sql: SqlTag, templateId: string): Promise<void> {
  await sql`update pass_templates set google_class_version = 0 where id = ${templateId}`
}

/** Whether Google's wallet has the pass, as far as Google told. */
export async function isInstalled(sql: SqlTag, passId: string): Promise<boolean> {
  const rows = await sql`
    select from pass_installations where pass_id = ${passId} and platform = 'google'`
  return rows.length > 0
}

/** Whether a deletion of the pass is known that happened after this. */
export async function isOvertaken(
  sql: SqlTag,
  passId: string,
  { expiresAt }: Pick<GoogleCallback, 'expiresAt'>,
): Promise<boolean> {
  const rows = await sql`
    select from google_callbacks
    where pass_id = ${passId} and event_type = 'del' and expires_at >= ${expiresAt} limit 1`
  return rows.length > 0
}

/** False where the same one was taken before: whoever else takes it at this moment waits. */
export async function takeCallback(
  sql: TxSql,
  passId: string,
  { nonce, eventType, expiresAt }: GoogleCallback,
): Promise<boolean> {
  const taken = await sql`
    insert into google_callbacks (nonce, pass_id, event_type, expires_at)
    values (${nonce}, ${passId}, ${eventType}, ${expiresAt})
    on conflict do nothing`
  return taken.count === 1
}
