// A card network that never gives up: it sends, repeats unanswered messages and some of the
// answered ones, and remembers every answer. At the end its memory is compared with PostgreSQL, the
// engine and the journal: witnesses of one history.
import { build as buildHistogram, type Histogram } from 'hdr-histogram-js'
import { openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { decodeEntry } from '../../shared/wire/journal-entry.ts'
import { happens, until } from '../harness/until.ts'
import { nextMessage, purchase } from './load.ts'
import { recount } from './recount.ts'
import type { Stack } from './stack.ts'

export interface Witness {
  /** Messages answered so far. */
  readonly answered: number
  /** Failed attempts by HTTP status and code, or by the way the connection broke. */
  readonly refusals: ReadonlyMap<string, number>
  /** Milliseconds from sending to an answer or a refusal, one value per attempt. */
  readonly took: Histogram
  readonly problems: string[]
  /** Sends until the signal aborts, then repeats until everything was answered. */
  run(signal: AbortSignal): Promise<void>
  /** Runs for a number of milliseconds. */
  runFor(ms: number): Promise<void>
  /**
   * Compares with Postgres, the engine and its journal once everything is drained; problems are
   * sentences.
   */
  compare(): Promise<string[]>
}

export interface WitnessOptions {
  senders?: number
  /** Pause between two messages of one sender; absent: 20. */
  pauseMs?: number
  /** The network port; absent: the engine's own. */
  engineUrl?: string
  answerMsMax?: number
  /** Set if it runs more than once. */
  keepsOpen?: boolean
  /** Cards that only make purchases: their limit then bounds all their spending. */
  purchasesOnly?: readonly SandboxCard[]
}

interface Known {
  text: string
  answer: NetworkAnswer
  cardId: string
}

const SENDERS = 24
const REPEAT_SHARE = 0.2
/** Two dozen senders that never rest take a whole processor from what the test waits for. */
const PAUSE_MS = 20
const RETRY_MS = 50
const ANSWER_MS_MAX = 300_000
const SETTLED_MS_MAX = 60_000

export function openWitness(
  stack: Stack,
  cards: readonly SandboxCard[],
  options: WitnessOptions = {},
): Witness {
  const { senders = SENDERS, pauseMs = PAUSE_MS, answerMsMax = ANSWER_MS_MAX } = options
  const answers = new Map<string, Known>()
  const approved = new Map<string, NetworkMessage>()
  const problems: string[] = []
  const refusals = new Map<string, number>()
  const took = buildHistogram()
  const network = openNetwork(
    { engine_url: options.engineUrl ?? stack.engineUrl, network: stack.secrets.network },
    systemClock,
    senders,
  )

  async function ask(message: NetworkMessage, cardId: string): Promise<void> {
    const until = systemClock.nowMs() + answerMsMax
    while (systemClock.nowMs() < until) {
      const { answer, body, exchange, tookMs } = await network.send(message)
      if (exchange.kind === 'response') took.recordValue(Math.round(tookMs))
      if (answer !== null) return note(message, { text: body.toString(), answer, cardId })
      const what =
        exchange.kind === 'broken' ? exchange.problem : exchange.status + ' ' + codeOf(body)
      refusals.set(what, (refusals.get(what) ?? 0) + 1)
      await sleep(RETRY_MS)
    }
    problems.push('never answered: ' + message.id)
  }

  function note(message: NetworkMessage, known: Known): void {
    const before = answers.get(message.id)
    if (before === undefined) answers.set(message.id, known)
    else if (before.text !== known.text)
      problems.push('two answers: ' + before.text + ' and ' + known.text)
    if (known.answer.approved && message.kind === 'authorization')
      approved.set(known.cardId, message)
  }

  async function sender(signal: AbortSignal, number: number): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      const card = cards[(turn + number) % cards.length] as SandboxCard
      const moment = { card, turn: turn + number, approved: approved.get(card.id) ?? null }
      const plain = options.purchasesOnly?.includes(card) === true
      const message = plain ? purchase(card, moment.turn) : nextMessage(moment)
      await ask(message, card.id)
      if ((turn % 10) / 10 < REPEAT_SHARE) await ask(message, card.id)
      if (pauseMs > 0) await sleep(pauseMs, signal)
    }
  }

  const witness: Witness = {
    get answered() {
      return answers.size
    },
    refusals,
    took,
    problems,
    async run(signal) {
      await Promise.all(Array.from({ length: senders }, (_, number) => sender(signal, number)))
      if (options.keepsOpen !== true) network.close()
    },
    async runFor(ms) {
      const end = new AbortController()
      const running = witness.run(end.signal)
      await sleep(ms)
      end.abort()
      await running
    },
    async compare() {
      network.close()
      await stack.drained()
      const compared = await compareWithPostgres(stack, answers)
      return [...problems, ...compared, ...(await recount(stack))]
    },
  }
  return witness
}

function codeOf(body: Buffer): string {
  return /"code":"([a-z_]+)"/.exec(body.toString())?.[1] ?? ''
}

async function compareWithPostgres(
  stack: Stack,
  answers: ReadonlyMap<string, Known>,
): Promise<string[]> {
  const problems: string[] = []
  const rows = await stack.sql<{ transaction_id: string; message_id: string; entry: Buffer }[]>`
    select transaction_id, message_id, entry from card_transaction_messages
    where message_id is not null`
  const byMessage = new Map(rows.map((row) => [row.message_id, row]))
  for (const [id, { answer }] of answers) {
    const row = byMessage.get(id)
    if (row === undefined) {
      problems.push('answered but not in Postgres: ' + id)
      continue
    }
    const entry = decodeEntry(row.entry)
    if (entry.kind !== 'decision') continue
    const { approved, approvedAmountCents } = entry.decision
    const same =
      row.transaction_id === answer.transaction_id &&
      approved === answer.approved &&
      approvedAmountCents === answer.approved_amount_cents
    if (!same) problems.push('answered otherwise than recorded: ' + id)
  }
  // A tenant's late reply is an entry as well, and may come after the last answer.
  let [drained, synced] = [-1, 0]
  const isWhole = async (): Promise<boolean> => {
    const [cursor] = await stack.sql<{ seq: number }[]>`select seq from journal_cursor`
    drained = cursor?.seq ?? -1
    synced = (await stack.engine.status()).synced_seq
    return drained === synced
  }
  if (!(await happens(isWhole, SETTLED_MS_MAX)))
    problems.push('Postgres has entry ' + drained + ', the journal ' + synced)
  return [...problems, ...(await countDifferences(stack))]
}

/**
 * Counts that must agree: one event for every change, numbers without gaps, as many holds as the
 * engine has.
 */
async function countDifferences(stack: Stack): Promise<string[]> {
  const problems: string[] = []
  const [counted] = await stack.sql<
    { eventless: number; gaps: number; quarantined: number; holds: number }[]
  >`
    select
      (select count(*)::int from (
        select (select count(*) from events e
            where e.resource_id = t.id and e.type like 'card.transaction.%') as events,
          (select count(*) from card_transaction_messages m where m.transaction_id = t.id) as messages
        from card_transactions t
      ) as both_counted where events <> messages) as eventless,
      (select coalesce(max(seq) - count(*), 0)::int from card_transactions) as gaps,
      (select count(*)::int from drain_quarantine) as quarantined,
      (select count(*)::int from card_transactions where hold_expires_at > 0) as holds`
  if (counted === undefined) return ['Postgres counts nothing']
  const { eventless, gaps, quarantined } = counted
  if (eventless > 0) problems.push(eventless + ' transactions have other events than messages')
  if (gaps > 0) problems.push('the list of transactions has ' + gaps + ' gaps')
  if (quarantined > 0) problems.push(quarantined + ' entries in quarantine')
  let holds: number | null = null
  await until(async () => {
    holds = await stack.metric('svc_open_holds').catch(() => null)
    return holds !== null
  })
  if (holds !== counted.holds)
    problems.push('Postgres has ' + counted.holds + ' open holds, the engine ' + holds)
  return problems
}

/** Cents approved per card today, read from PostgreSQL. */
export async function approvedCents(stack: Stack, cardId: string): Promise<number> {
  const [row] = await stack.sql<{ sum: number }[]>`
    select coalesce(sum(approved_cents), 0)::bigint as sum from card_transactions where card_id = ${cardId}`
  return row?.sum ?? 0
}
