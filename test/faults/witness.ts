// A card network that never gives up: it sends, repeats what was not answered, repeats some of what was, and remembers every
// answer. At the end its memory is compared with Postgres and the engine: three witnesses of one history.
import { openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { isoInstant, sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { until } from '../harness/until.ts'
import type { Stack } from './stack.ts'

export interface Witness {
  /** Messages answered so far. */
  readonly answered: number
  readonly problems: string[]
  /** Sends until told to end, then repeats until everything was answered. */
  run(signal: AbortSignal): Promise<void>
  /** Compares with Postgres and the engine once everything is drained; problems are sentences. */
  compare(): Promise<string[]>
}

const SENDERS = 24
const REPEAT_SHARE = 0.2
const PAUSE_MS = 20
const ANSWER_MS_MAX = 60_000

export function openWitness(stack: Stack, cards: readonly SandboxCard[]): Witness {
  const answers = new Map<string, { text: string; answer: NetworkAnswer; cardId: string }>()
  const problems: string[] = []
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    SENDERS,
  )

  async function ask(message: NetworkMessage, cardId: string): Promise<void> {
    const until = systemClock.nowMs() + ANSWER_MS_MAX
    while (systemClock.nowMs() < until) {
      const { answer, body } = await network.send(message)
      if (answer === null) {
        await sleep(PAUSE_MS)
        continue
      }
      const known = answers.get(message.id)
      if (known === undefined) answers.set(message.id, { text: body.toString(), answer, cardId })
      else if (known.text !== body.toString())
        problems.push('two answers: ' + known.text + ' and ' + body)
      return
    }
    problems.push('never answered: ' + message.id)
  }

  async function sender(signal: AbortSignal, number: number): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      const card = cards[(turn + number) % cards.length] as SandboxCard
      const message = newMessage(card, 1 + ((turn * 7 + number) % 900))
      await ask(message, card.id)
      if ((turn % 10) / 10 < REPEAT_SHARE) await ask(message, card.id)
    }
  }

  return {
    get answered() {
      return answers.size
    },
    problems,
    async run(signal) {
      await Promise.all(Array.from({ length: SENDERS }, (_, number) => sender(signal, number)))
      network.close()
    },
    async compare() {
      await until(async () => {
        const status = await stack.engine.status()
        return status.drained_seq === status.synced_seq
      }, 60_000)
      return [...problems, ...(await compareWithPostgres(stack, answers))]
    },
  }
}

async function compareWithPostgres(
  stack: Stack,
  answers: ReadonlyMap<string, { answer: NetworkAnswer; cardId: string }>,
): Promise<string[]> {
  const problems: string[] = []
  const rows = await stack.sql<
    { id: string; message_id: string; status: string; approved_cents: number; events: number }[]
  >`
    select t.id, t.message_id, t.status, t.approved_cents,
      (select count(*)::int from events e where e.resource_id = t.id) as events
    from card_transactions t`
  const byMessage = new Map(rows.map((row) => [row.message_id, row]))
  for (const [id, { answer }] of answers) {
    const row = byMessage.get(id)
    if (row === undefined) problems.push('answered but not in Postgres: ' + id)
    else if (
      row.id !== answer.transaction_id ||
      row.approved_cents !== answer.approved_amount_cents
    ) {
      problems.push('answered otherwise than recorded: ' + id)
    }
  }
  for (const row of rows)
    if (row.events !== 1) problems.push(row.id + ' has ' + row.events + ' events')
  const [cursor] = await stack.sql<{ seq: number }[]>`select seq from journal_cursor`
  const status = await stack.engine.status()
  if (cursor?.seq !== status.synced_seq)
    problems.push('Postgres has entry ' + cursor?.seq + ', the journal ' + status.synced_seq)
  const [sequences] = await stack.sql<{ gaps: number }[]>`
    select (max(seq) - count(*))::int as gaps from card_transactions`
  if (sequences?.gaps !== 0)
    problems.push('the list of transactions has ' + sequences?.gaps + ' gaps')
  const [quarantined] = await stack.sql<
    { count: number }[]
  >`select count(*)::int as count from drain_quarantine`
  if (quarantined?.count !== 0) problems.push(quarantined?.count + ' entries in quarantine')
  const approved = rows.filter((row) => row.status === 'authorized').length
  const metrics = await (await fetch(stack.engineUrl + '/metrics')).text()
  const holds = /^svc_open_holds (\d+)$/m.exec(metrics)?.[1]
  if (Number(holds) !== approved)
    problems.push('Postgres has ' + approved + ' approvals, the engine ' + holds + ' holds')
  return problems
}

/** Cents approved per card today, as Postgres has them. */
export async function approvedCents(stack: Stack, cardId: string): Promise<number> {
  const [row] = await stack.sql<{ sum: number }[]>`
    select coalesce(sum(approved_cents), 0)::bigint as sum from card_transactions where card_id = ${cardId}`
  return row?.sum ?? 0
}

function newMessage(card: SandboxCard, amount: number): NetworkMessage {
  const id = newId('msg', systemClock.nowMs())
  return {
    id,
    kind: 'authorization',
    transmitted_at: isoInstant(systemClock.nowMs()),
    network_transaction_id: 'n' + id,
    card: { pan: card.pan, exp_month: card.exp_month, exp_year: card.exp_year, cvc: card.cvc },
    amount_cents: amount,
    currency: card.currency,
    merchant: {
      id: 'merch_faults',
      name: 'Kill loop',
      mcc: '5411',
      city: 'Portland',
      country: 'US',
    },
    entry_method: 'chip',
    partial_approval_capable: false,
  }
}
