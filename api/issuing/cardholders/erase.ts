// Erases a person: name, details, external_id and metadata leave the cardholder, the resources that
// name them, and every event that may still be sent or read. Transactions, the ledger and the audit
// log stay: they name ids alone. The identity of somebody who was verified or had a card stays
// sealed, for as long as the law against money laundering asks (purge-erased.ts ends it).

import { unixSeconds } from '../../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { Cardholder } from '../../../shared/schemas/cardholder.ts'
import type { KeptIdentity } from '../../../shared/schemas/kept-identity.ts'
import type { OperatorContext, Owner } from '../../context.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import {
  ALONE,
  erasePassesOfCards,
  type PassContext,
  recordPassChanges,
} from '../../passes/passes/index.ts'
import { rewriteEvents } from '../../webhooks/events/index.ts'
import { write } from '../../write/write.ts'
import { writeConfirmed } from '../../write/write-confirmed.ts'
import type { Lists } from '../sanctions/lists.ts'
import {
  eraseAccounts,
  eraseCards,
  eraseControls,
  eraseDisputes,
  erasePayments,
  eraseWalletTokens,
} from './erase-resources-store.ts'
import {
  eraseAlerts,
  eraseKeptReasons,
  erasePerson,
  findKeptIdentity,
  insertErasure,
  keepsPerson,
} from './erase-store.ts'
import { ERASED_REASON, withoutPerson } from './erased-event.ts'
import { freshHits, type ScreeningPort } from './screen.ts'
import { findOwner, lockCardholder } from './store.ts'
import { purgeVerification } from './verify.ts'
import { type CardholderRow, cardholderView, identityView } from './view.ts'

/**
 * Erasing an erased cardholder changes nothing and waits for the engine again. Refuses with 404,
 * and with 409 somebody with a card that is not terminated, an account that is not closed, or a hit
 * on a list that is open, confirmed or not reported yet.
 */
export async function eraseCardholder(
  context: PassContext,
  { cardholderId }: { cardholderId: string },
  { lists }: ScreeningPort,
): Promise<Cardholder> {
  const { principal, now } = context
  const erase = async (sql: TxSql) => {
    const held = await lockCardholder(sql, principal, cardholderId)
    if (held === null) throw new Refusal('resource_missing')
    if (held.erasedAt !== null) return cardholderView(held)
    await requireEnded(sql, held)
    await requireUnlisted(sql, principal, held, lists)
    if (held.kyc.verification_id !== null || (await keepsPerson(sql, cardholderId))) {
      const { name, details } = held
      const sealed = context.seal(SEAL_CONTEXTS.erasedIdentity, JSON.stringify({ name, details }))
      await insertErasure(sql, principal, { cardholderId, sealed, now })
    }
    await purgeVerification(sql, principal, held, now)
    await eraseAlerts(sql, principal, cardholderId)
    await eraseNamed(sql, context, cardholderId)
    return cardholderView(await erasePerson(sql, principal, { cardholderId, now }))
  }
  return writeConfirmed(context, erase, { safeToRepeat: true })
}

/**
 * Erases the person from resources that name them, and then from the events. The resources are
 * locked, so no event of their earlier state is recorded any more.
 */
async function eraseNamed(sql: TxSql, context: PassContext, cardholderId: string): Promise<void> {
  const { principal } = context
  const cardIds = await eraseCards(sql, principal, cardholderId)
  const accountIds = await eraseAccounts(sql, principal, cardholderId)
  const subjectIds = [cardholderId, ...cardIds, ...accountIds]
  await eraseWalletTokens(sql, principal, cardIds)
  await eraseControls(sql, principal, subjectIds)
  await eraseKeptReasons(sql, subjectIds)
  const passes = await erasePassesOfCards(sql, context, { cardIds, reason: ERASED_REASON })
  const named = [
    ...(await eraseDisputes(sql, principal, cardholderId)),
    ...(await erasePayments(sql, principal, accountIds)),
    ...passes.ids,
  ]
  const rewrite = withoutPerson
  await rewriteEvents(sql, principal, {
    resourceIds: [cardholderId, ...cardIds, ...named],
    rewrite,
  })
  // Last, because it locks the tenant's sequence of events; previous_attributes name the person.
  const { changes } = passes
  await recordPassChanges(sql, context, { lane: ALONE, changes })
  await rewriteEvents(sql, principal, {
    resourceIds: changes.map(({ after }) => after.id),
    rewrite,
  })
}

async function requireEnded(sql: TxSql, { id, screening }: CardholderRow): Promise<void> {
  if (screening.status === 'alert' || screening.status === 'confirmed')
    throw new Refusal('invalid_state', {
      message: 'A hit on a list is open or confirmed: the law keeps this person.',
      extra: { current_status: 'screening_' + screening.status },
    })
  const [open] = await sql<{ id: string }[]>`
    select id from cards where cardholder_id = ${id} and status <> 'terminated'
    union all
    select id from payment_accounts where cardholder_id = ${id} and status <> 'closed'
    limit 1`
  if (open !== undefined)
    throw new Refusal('invalid_state', {
      message: 'Terminate every card and close every payment account of this person first.',
      extra: { current_status: 'in_use', resource_id: open.id },
    })
}

/** Screens once more: lists may be newer than the last screening, which runs beside the calls. */
async function requireUnlisted(
  sql: TxSql,
  owner: Owner,
  held: CardholderRow,
  lists: Lists,
): Promise<void> {
  const { fresh } = await freshHits(sql, owner, held, lists.current())
  if (fresh.length > 0)
    throw new Refusal('invalid_state', {
      message: 'The present lists name this person: the next screening raises an alert.',
      extra: { current_status: 'screening_pending' },
    })
}

/**
 * Shows an operator the identity that the law keeps; the audit log names them. Refuses with 404
 * where nothing is kept.
 */
export async function discloseIdentity(
  context: OperatorContext,
  { cardholderId }: { cardholderId: string },
): Promise<KeptIdentity> {
  return write(context, async (sql) => {
    const owner: Owner | null = await findOwner(sql, cardholderId, context.now)
    const kept = owner === null ? null : await findKeptIdentity(sql, owner, cardholderId)
    if (kept === null) throw new Refusal('resource_missing')
    const opened = context.unseal(SEAL_CONTEXTS.erasedIdentity, kept.sealed)
    if (!opened.ok) throw new Error('a kept identity does not open: ' + opened.error)
    const identity = JSON.parse(opened.value.toString('utf8')) as Parameters<typeof identityView>[0]
    return {
      id: cardholderId,
      object: 'kept_identity',
      erased_at: unixSeconds(kept.erasedAt),
      ...identityView(identity),
    }
  })
}
