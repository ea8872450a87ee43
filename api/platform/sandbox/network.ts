// One message of the sandbox's card network: built from the tenant's input, sent over the real
// network port and decided like every other message.
//
// Message ids belong to the network, and all tenants of a sandbox share one network: ids of a
// tenant are hashed together with the tenant. Networks never forget a sent message, but an emptied
// sandbox does: the number of wipes is part of every name.
import { createHash } from 'node:crypto'
import { isoInstant, unixSeconds } from '../../../shared/clock.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import type { NetworkMessage } from '../../../shared/schemas/network-message.ts'
import type { NetworkMessageInput, SimulatedMessage } from '../../../shared/schemas/sandbox.ts'
import { signatureHeader } from '../../../shared/signature.ts'
import type { Context, Principal } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { findSeat, type NetworkSeat } from './store.ts'

export interface NetworkPort {
  /** Sends a message as the sandbox's card network does; null when the port does not answer. */
  sendToNetworkPort: (message: {
    keyId: string
    signature: string
    body: string
  }) => Promise<{ status: number; body: unknown } | null>
}

const SHOP = {
  id: 'sim-shop',
  name: 'Simulated shop',
  mcc: '5411',
  city: 'Portland',
  country: 'US',
}

/**
 * A message without its own id gets this name: a repeat under the same Idempotency-Key gets the
 * same name.
 */
export function messageName({ call, newId }: Context): string {
  const { keyed } = call
  return keyed === null ? newId('msg') : 'key ' + keyed.key
}

/** Refuses with 404 for an unknown card, with 503 while the installation has no sandbox network. */
export async function takeSeat(context: Context, cardId: string): Promise<NetworkSeat> {
  const seat = await findSeat(context.sql, context.principal, cardId)
  if (seat === null) throw new Refusal('resource_missing')
  const { keyId } = seat
  if (keyId !== null) return { ...seat, keyId }
  throw unavailable('This installation has no card network in the sandbox.')
}

/**
 * Refuses with 400 a message that the engine finds invalid, and with 503 while the engine decides
 * nothing: the tenant may send the same message again.
 */
export async function sendMessage(
  context: Context,
  { seat, input }: { seat: NetworkSeat; input: NetworkMessageInput & { id: string } },
  { sendToNetworkPort }: NetworkPort,
): Promise<SimulatedMessage> {
  const message = messageOf(context, seat, input)
  const body = JSON.stringify(message)
  const secret = context.unseal(SEAL_CONTEXTS.networkSecret, seat.sealedSecret)
  if (!secret.ok) throw new Error('the secret of a network does not open: ' + secret.error)
  // Signatures use installation time.
  const signedAt = unixSeconds(context.now - context.principal.clockOffsetMs)
  const answer = await sendToNetworkPort({
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

/** Returns the network's name of a transaction that any message may begin. */
export function transactionName({ principal }: Context, { wipes }: NetworkSeat, name: string) {
  return ofThisSandbox(ownName(principal, wipes, name), wipes)
}

function ownName({ tenantId }: Principal, wipes: number, name: string): string {
  return 'sim-' + digest([tenantId, String(wipes), name])
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32)
}

/** A name taken from an answer stays as it is. */
function ofThisSandbox(name: string, wipes: number): string {
  const mark = '~' + wipes
  return wipes === 0 || name.endsWith(mark) ? name : name + mark
}

/** The engine names the field; the tenant's input has the same name. */
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
