// Rows 22 and 23: the same message a thousand times at once, and a crowd that competes for the rest
// of a limit.
import { type Answered, type Network, openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { FaultRun, Findings } from './fault.ts'
import { authorization } from './load.ts'
import { recount } from './recount.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'
import { approvedCents } from './witness.ts'

const SAME = 1000
const CROWD = 200
const LIMIT_CENTS = 50_000
const CONNECTIONS = 200
const ATTEMPTS_MAX = 200
/** The crowds spend on the first cards, the other test on the last ones: they share a stack. */
const LAST_CARD = 32

function networkOf(stack: Stack) {
  const sandbox = { engine_url: stack.engineUrl, network: stack.secrets.network }
  return openNetwork(sandbox, systemClock, CONNECTIONS)
}

/** The tenant approves even amounts. */
export const APPROVES_EVEN: StackOptions = {
  behave({ body }) {
    const even = JSON.parse(body).data.transaction.amount_cents % 2 === 0
    return { kind: 'reply', body: JSON.stringify({ approve: even }), afterMs: 50 }
  },
}

/**
 * Row 22: one message id, a thousand times at once over many connections, some of them with another
 * amount.
 */
export async function sameMessage(
  t: FaultRun,
  started: Promise<Stack> = startStack(t, APPROVES_EVEN),
): Promise<Findings> {
  const stack = await started
  const network = networkOf(stack)
  await network.warm()
  const problems: string[] = []
  const rounds = t.effort.seconds
  for (let round = 0; round < rounds; round++) {
    const message = authorization(stack.card('load_realtime_' + (LAST_CARD - 1 - round)), 500)
    const first = answered(network, message)
    const others = Array.from({ length: SAME - 1 }, (_, at) =>
      answered(network, at % 10 === 9 ? { ...message, amount_cents: 501 } : message),
    )
    const answers = await Promise.all([first, ...others])
    problems.push(...judgeSame(answers))
    await sleep(10)
  }
  network.close()
  const asked = stack.tenant.requests.length
  if (asked !== rounds) problems.push('the tenant was asked ' + asked + ' times')
  await stack.drained()
  const [row] = await stack.sql<{ transactions: number; events: number }[]>`
    select (select count(*)::int from card_transactions) as transactions,
      (select count(*)::int from events) as events`
  if (row?.transactions !== rounds || row.events !== rounds)
    problems.push(row?.transactions + ' transactions and ' + row?.events + ' events')
  problems.push(...(await recount(stack)))
  return { injected: rounds + ' times ' + SAME + ' messages with one id', problems }
}

function judgeSame(answers: readonly Answered[]): string[] {
  const texts = new Map<string, number>()
  for (const { body } of answers) texts.set(body.toString(), (texts.get(body.toString()) ?? 0) + 1)
  const mismatches = answers.filter(({ answer }) => answer?.decline_reason === 'duplicate_mismatch')
  if (texts.size === 2 && mismatches.length === Math.floor((SAME - 1) / 10)) return []
  return [[...texts].map(([text, count]) => count + ' times ' + text).join('; ')]
}

/** Repeats a refused message as a network does: a refusal is no decision. */
async function answered(network: Network, message: NetworkMessage): Promise<Answered> {
  for (let attempt = 1; ; attempt++) {
    const sent = await network.send(message)
    if (sent.answer !== null || attempt === ATTEMPTS_MAX) return sent
    await sleep(20)
  }
}

/**
 * Row 23: a crowd of authorizations for the rest of a daily limit, half of the rounds while a
 * tenant decides.
 */
export async function lastOfTheLimit(
  t: FaultRun,
  started: Promise<Stack> = startStack(t, APPROVES_EVEN),
): Promise<Findings> {
  const stack = await started
  const network = networkOf(stack)
  await network.warm()
  const problems: string[] = []
  const rounds = 2 * t.effort.seconds
  for (let round = 0; round < rounds; round++) {
    const purpose = (round % 2 === 0 ? 'load_plain_' : 'load_realtime_') + (round + 1)
    const card = stack.card(purpose)
    await limitTo(stack, card, LIMIT_CENTS)
    // Even amounts: a tenant approves them. Each is more than a crowd's equal share.
    const cents = 2 * (Math.floor(LIMIT_CENTS / (CROWD / 2) / 2) + round)
    const crowd = Array.from({ length: CROWD }, () => answered(network, authorization(card, cents)))
    const approved = (await Promise.all(crowd)).filter(({ answer }) => answer?.approved === true)
    const room = Math.floor(LIMIT_CENTS / cents)
    if (approved.length !== room)
      problems.push(purpose + ': ' + approved.length + ' of ' + room + ' that fit were approved')
    await stack.drained()
    const spent = await approvedCents(stack, card.id)
    if (spent !== room * cents) problems.push(purpose + ' spent ' + spent)
  }
  // Declines of the tenant return the whole reservation.
  const card = stack.card('load_realtime_' + LAST_CARD)
  await limitTo(stack, card, 1000)
  for (let round = 0; round < 3; round++)
    await Promise.all(Array.from({ length: 20 }, () => answered(network, authorization(card, 333))))
  const { answer } = await answered(network, authorization(card, 1000))
  if (answer?.approved !== true) problems.push('declined reservations were not given back')
  network.close()
  await stack.drained()
  problems.push(...(await recount(stack)))
  return { injected: rounds + ' crowds of ' + CROWD + ' for the last of a limit', problems }
}

/** Sets a limit through the API, which answers when the engine has it. */
async function limitTo(stack: Stack, card: SandboxCard, cents: number): Promise<void> {
  const response = await fetch(stack.apiUrl + '/v1/cards/' + card.id + '/limits', {
    method: 'PUT',
    headers: {
      authorization: 'Bearer ' + stack.secrets.keys.write,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ limits: [{ interval: 'daily', amount_cents: cents }] }),
  })
  if (response.status !== 200) throw new Error(response.status + ' ' + (await response.text()))
}
