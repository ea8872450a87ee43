// A tenant's commands to the card network of its sandbox: one message, or a short story of several.
//
// The engine decides outside of any transaction. Its answer is kept under the call's
// Idempotency-Key like every other; if the call dies in between, the repeat sends the same ids, and
// the engine repeats its answer.
import { assert } from '../../../shared/assert.ts'
import { isoInstant } from '../../../shared/clock.ts'
import type {
  NetworkMessageInput,
  SCENARIOS,
  SimulatedMessage,
  SimulatedScenario,
} from '../../../shared/schemas/sandbox.ts'
import type { Context } from '../../context.ts'
import { isAnswered, write } from '../../write/write.ts'
import { messageName, type NetworkPort, sendMessage, takeSeat, transactionName } from './network.ts'

export async function simulateMessage(
  context: Context,
  input: NetworkMessageInput,
  port: NetworkPort,
): Promise<SimulatedMessage> {
  const sent = (await isAnswered(context.sql, context)) ? null : await sendOne(context, input, port)
  return write(context, async () => {
    assert(sent !== null, 'a call that was answered is not done again')
    return sent
  })
}

async function sendOne(
  context: Context,
  input: NetworkMessageInput,
  port: NetworkPort,
): Promise<SimulatedMessage> {
  const seat = await takeSeat(context, input.card_id)
  const message = { ...input, id: input.id ?? messageName(context) }
  return sendMessage(context, { seat, input: message }, port)
}

interface ScenarioInput {
  card_id: string
  scenario: (typeof SCENARIOS)[number]
  /** Minor units of the card's currency. */
  amount_cents: number
}

type Step = Partial<NetworkMessageInput> &
  Pick<NetworkMessageInput, 'kind' | 'amount_cents'> & {
    /** Index of an earlier message, which the network sends again unchanged. */
    again?: number
    /** Milliseconds between sending by the network and arrival. */
    lateMs?: number
  }

const DELAY_MS = 10 * 60_000

/**
 * The messages of each story, one after the other; all concern one transaction, in any order. The
 * later stories are failures between a network and an issuer.
 */
const STORIES: { readonly [Name in ScenarioInput['scenario']]: (amount: number) => Step[] } = {
  approve: (amount) => [ask(amount)],
  approve_and_capture: (amount) => [ask(amount), tell('capture', amount)],
  approve_and_reverse: (amount) => [ask(amount), tell('reversal', amount)],
  capture_in_parts: (amount) => {
    const part = Math.ceil(amount / 2)
    const first = { ...tell('capture', part), final: false }
    return [ask(amount), first, tell('capture', amount - part)]
  },
  incremental: (amount) => {
    const more = { kind: 'incremental' as const, amount_cents: amount }
    return [ask(amount), more, tell('capture', 2 * amount)]
  },
  refund: (amount) => [ask(amount), tell('capture', amount), tell('refund', amount)],
  // No real card has this expiry.
  wrong_expiry: (amount) => [{ ...ask(amount), card: { exp_month: 1, exp_year: 2000 } }],
  account_verification: () => [{ kind: 'account_verification', amount_cents: 0 }],
  // The engine repeats its answer, and nothing happens twice.
  duplicate: (amount) => [ask(amount), { ...ask(amount), again: 0 }],
  // The network repeats, gets no answer again, and reverses.
  answer_lost: (amount) => [ask(amount), { ...ask(amount), again: 0 }, tell('reversal', amount)],
  // The merchant captures without an authorization request.
  authorization_lost: (amount) => [tell('capture', amount)],
  reversal_first: (amount) => [tell('reversal', amount), ask(amount)],
  delayed: (amount) => [{ ...ask(amount), lateMs: DELAY_MS }, tell('capture', amount)],
}

function ask(amount: number): Step {
  return { kind: 'authorization', amount_cents: amount }
}

function tell(kind: 'capture' | 'reversal' | 'refund', amount: number): Step {
  return { kind, amount_cents: amount }
}

export async function simulateScenario(
  context: Context,
  input: ScenarioInput,
  port: NetworkPort,
): Promise<SimulatedScenario> {
  const played = (await isAnswered(context.sql, context)) ? null : await play(context, input, port)
  return write(context, async () => {
    assert(played !== null, 'a call that was answered is not done again')
    return played
  })
}

async function play(
  context: Context,
  input: ScenarioInput,
  port: NetworkPort,
): Promise<SimulatedScenario> {
  const { card_id, scenario } = input
  const seat = await takeSeat(context, card_id)
  const name = messageName(context)
  const transaction = transactionName(context, seat, name)
  const messages: SimulatedMessage[] = []
  for (const { again, lateMs = 0, ...step } of STORIES[scenario](input.amount_cents)) {
    const id = name + ' ' + (again ?? messages.length)
    const transmitted_at =
      again === undefined ? sentAt(context, lateMs) : sentBefore(messages, again)
    const sent = { card_id, ...step, id, transmitted_at, ...about(step, transaction) }
    messages.push(await sendMessage(context, { seat, input: sent }, port))
  }
  const [first] = messages
  assert(first !== undefined, 'every scenario sends something')
  return {
    id: first.id,
    object: 'simulated_scenario',
    livemode: false,
    card_id,
    scenario,
    transaction_id: first.transaction_id,
    messages,
  }
}

/** The transaction that a message begins or continues. Only an authorization request begins one. */
function about({ kind }: Step, transaction: string) {
  return kind === 'authorization' || kind === 'account_verification'
    ? { network_transaction_id: transaction }
    : { original_network_transaction_id: transaction }
}

/** Returns a moment of installation time, the clock of networks. */
function sentAt({ now, principal }: Context, lateMs: number): string {
  return isoInstant(now - principal.clockOffsetMs - lateMs)
}

function sentBefore(messages: readonly SimulatedMessage[], place: number): string {
  const message = messages[place]?.message
  assert(message !== undefined, 'what comes again came before')
  return message.transmitted_at
}
