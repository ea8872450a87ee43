// Writes a mail in the transaction of its cause: neither is ever there without the other. The
// dispatcher sends it.
import type { EpochMs } from '../../../shared/clock.ts'
import { newId } from '../../../shared/id.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { TxSql } from '../../database/transaction.ts'
import { insertMail } from './store.ts'
import { LIFETIMES, type MailContent } from './templates.ts'

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
