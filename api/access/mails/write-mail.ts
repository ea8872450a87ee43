// Writes a mail in the transaction of its cause: neither is ever there without the other. The
// dispatcher sends it.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { TxSql } from '../../database/transaction.ts'
import { insertMail } from './store.ts'
import { LIFETIMES, type MailContent, type SecurityChange } from './templates.ts'

export interface MailWorld {
  seal: (context: string, plaintext: string) => string
  /** Installation time: people do not follow a sandbox clock. */
  now: EpochMs
}

/** The fields are sealed: a link in them lets its reader in. */
export async function writeMail(
  sql: TxSql,
  { seal, now }: MailWorld,
  { to, ...content }: MailContent & { to: string },
): Promise<void> {
  await insertMail(sql, {
    id: newId('mail', now),
    recipient: to,
    template: content.template,
    sealed: seal(SEAL_CONTEXTS.mail, JSON.stringify(content.fields)),
    createdAt: now,
    endsAt: now + LIFETIMES[content.template],
  })
}

/** Tells a person by mail that the way they sign in changed. */
export async function tellPerson(
  sql: TxSql,
  world: MailWorld,
  told: { email: string; name: string; change: SecurityChange; address: string | null },
): Promise<void> {
  const { email: to, name, change, address } = told
  const fields = { name, change, address, at: world.now }
  await writeMail(sql, world, { to, template: 'security_notice', fields })
}
