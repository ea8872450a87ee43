// Data for Google's wallet beside the data of the passes module.
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import type { SqlTag } from '../../../database/pool.ts'
import type { TxSql } from '../../../database/transaction.ts'
import type { GoogleCallback } from './callback-signature.ts'

export interface ClassRow {
  /** The template's latest version, the target of its class. */
  version: number
  /** Version that the class shows; 0 before its first upload. */
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

/** Records that the class shows this version, or a later one. */
export async function saveClassVersion(
  sql: SqlTag,
  templateId: string,
  version: number,
): Promise<void> {
  await sql`
    update pass_templates set google_class_version = ${version}
    where id = ${templateId} and google_class_version < ${version}`
}

/** Records that Google does not have the class. */
export async function forgetClass(sql: SqlTag, templateId: string): Promise<void> {
  await sql`update pass_templates set google_class_version = 0 where id = ${templateId}`
}

/** Returns whether Google's wallet has the pass, according to Google's callbacks. */
export async function isInstalled(sql: SqlTag, passId: string): Promise<boolean> {
  const rows = await sql`
    select from pass_installations where pass_id = ${passId} and platform = 'google'`
  return rows.length > 0
}

/** Returns whether a later deletion of the pass is known. */
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

/** Returns false if the same callback was taken before: a simultaneous taker waits. */
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
