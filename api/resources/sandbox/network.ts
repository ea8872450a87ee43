// One message of the card network of the sandbox: made of what the tenant asks for, sent over the real network port and decided
// like every other.
//
// Ids of messages are the network's, and all tenants of a sandbox share one: so a tenant's own ids are hashed together with the
// tenant. Networks never forget what they sent, a sandbox that is emptied does: its number is part of every name.
import { createHash } from 'node:crypto'
import { isoInstant, unixSeconds } from '../../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import type { NetworkMessageInput, SimulatedMessage } from '../../../shared/schemas/sandbox.ts'
import { signatureHeader } from '../../../shared/signature.ts'
import type { Context, Principal } from '../../context.ts'
import { Refusal } from '../../refuse.ts'
import { findSeat, type NetworkSeat } from './store.ts'

const SHOP = {
  id: 'sim-shop',
  name: 'Simulated shop',
  mcc: '5411',
  city: 'Portland',
  country: 'US',
}

/** A message that names no id of its own gets this one: the same for a repeat under the same Idempotency-Key. */
export function messageName({ keyed, newId }: Context): string {
  return keyed === null ? newId('msg') : 'key ' + keyed.key
}

/** Refuses with 404 where the tenant has no such card, 503 while there is no network to speak for. */
export async function takeSeat(context: Context, cardId: string): Promise<NetworkSeat> {
  const seat = await findSeat(context.sql, context.principal, cardId)
  if (seat === null) throw new Refusal('resource_missing')
  const { keyId } = seat
  if (keyId !== null) return { ...seat, keyId }
  throw unavailable('This installation has no card network in the sandbox.')
}

/** Refuses with 400 what the engine finds wrong in it, and with 503 where it decides nothing: the same may be sent again. */
export async function sendMessage(
  context: Context,
  seat: NetworkSeat,
  input: NetworkMessageInput & { id: string },
): Promise<SimulatedMessage> {
  const message = messageOf(context, seat, input)
  const body = JSON.stringify(message)
  const secret = context.unseal(SEAL_CONTEXTS.networkSecret, seat.sealedSecret)
  if (!secret.ok) throw new Error('the secret of a network does not open: ' + secret.error)
  // Signatures are of the installation's time.
  const signedAt = unixSeconds(context.now - context.principal.clockOffsetMs)
  const answer = await context.sendToNetworkPort({
    keyId: seat.keyId,
    signature: signatureHeader([secret.value.toString('utf8')], signedAt, body),
    body,
  })
  if (answer === null) throw unavailable('The network port did not answer.')
  if (answer.status === 400) throw refusedField(answer.body)
  if (answer.status !== 200)
    throw unavailable('The network port answered ' + answer.status + '; nothing was decided.')
  return simulatedView(input.card_id, message, answer.body as SimulatedMessage['answer'])
}

function messageOf(
  { principal, now }: Context,
  { cardToken, currency, wipes }: NetworkSeat,
  input: NetworkMessageInput & { id: string },
): NetworkMessage {
  const { card_id: _card, original_network_transaction_id: original, ...given } = input
  const id = ownName(principal, wipes, input.id)
  return {
    kind: 'authorization',
    currency,
    merchant: SHOP,
    entry_method: 'chip',
    transmitted_at: isoInstant(now - principal.clockOffsetMs),
    ...given,
    id,
    network_transaction_id: ofThisSandbox(given.network_transaction_id ?? id, wipes),
    ...(original !== undefined && {
      original_network_transaction_id: ofThisSandbox(original, wipes),
    }),
    card: { ...input.card, token: cardToken },
  }
}

/** What the network calls a transaction whose first message may be any. */
export function transactionName({ principal }: Context, { wipes }: NetworkSeat, name: string) {
  return ofThisSandbox(ownName(principal, wipes, name), wipes)
}

function ownName({ tenantId }: Principal, wipes: number, name: string): string {
  return 'sim-' + digest([tenantId, String(wipes), name])
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32)
}

/** A name that was taken from an answer stays what it is. */
function ofThisSandbox(name: string, wipes: number): string {
  const mark = '~' + wipes
  return wipes === 0 || name.endsWith(mark) ? name : name + mark
}

/** The engine names the field; in what a tenant sends it has the same name. */
function refusedField(body: unknown): Refusal {
  const { error } = body as { error?: { param?: string | null; message?: string } }
  const { param, message } = error ?? {}
  return new Refusal('parameter_invalid', {
    ...(typeof param === 'string' && { param }),
    ...(typeof message === 'string' && { message }),
  })
}

function unavailable(message: string): Refusal {
  return new Refusal('dependency_unavailable', { message })
}

function simulatedView(
  cardId: string,
  message: NetworkMessage,
  answer: SimulatedMessage['answer'],
): SimulatedMessage {
  const { id, kind, transmitted_at, network_transaction_id, amount_cents, currency } = message
  return {
    id,
    object: 'simulated_message',
    livemode: false,
    card_id: cardId,
    transaction_id: answer.transaction_id,
    message: {
      id,
      kind,
      transmitted_at,
      network_transaction_id,
      original_network_transaction_id: message.original_network_transaction_id ?? null,
      amount_cents,
      currency,
      merchant: message.merchant,
    },
    answer,
  }
}
