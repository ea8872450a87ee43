// The disaster: a service under load is backed up, goes on, and loses its data directory and its
// database at once. The backup comes back on empty directories.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { dataPathOf } from '../../scripts/postgres/cluster.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { purchase } from '../faults/load.ts'
import { type Stack, startStack } from '../faults/stack.ts'
import { openRunbook } from '../harness/runbook.ts'
import { until } from '../harness/until.ts'

const SENDERS = 6
const LIMIT_CENTS = 50_000
const ENOUGH = 300

interface Sent {
  message: NetworkMessage
  /** The answer's bytes. */
  text: string
}

/** A network that remembers every message and its answer. */
class Remembering {
  readonly sent = new Map<string, Sent>()
  readonly #cards: readonly SandboxCard[]
  readonly #network: ReturnType<typeof openNetwork>

  constructor(stack: Stack, cards: readonly SandboxCard[]) {
    this.#cards = cards
    this.#network = openNetwork(
      { engine_url: stack.engineUrl, network: stack.secrets.network },
      systemClock,
      SENDERS,
    )
  }

  /** Purchases without an end; call it with `await` behind the abort. */
  async load(signal: AbortSignal): Promise<void> {
    const sender = async (number: number): Promise<void> => {
      for (let turn = number; !signal.aborted; turn += SENDERS) {
        const card = this.#cards[turn % this.#cards.length] as SandboxCard
        await this.ask(purchase(card, turn))
        await sleep(2, signal)
      }
    }
    await Promise.all(Array.from({ length: SENDERS }, (_, number) => sender(number)))
  }

  /** Repeats until there is an answer, and returns its bytes. */
  async ask(message: NetworkMessage): Promise<string> {
    for (;;) {
      const { answer, body } = await this.#network.send(message)
      if (answer === null) {
        await sleep(20)
        continue
      }
      const text = body.toString()
      this.sent.set(message.id, { message, text })
      return text
    }
  }

  async answered(count: number): Promise<void> {
    await until(() => this.sent.size >= count)
  }

  close(): void {
    this.#network.close()
  }
}

async function createCardholder(stack: Stack): Promise<string> {
  const answer = await fetch(stack.apiUrl + '/v1/cardholders', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + stack.secrets.keys.admin,
      'content-type': 'application/json',
      'idempotency-key': newId('idem', systemClock.nowMs()),
    },
    body: JSON.stringify({ program_id: stack.secrets.programs['plain'], name: 'Ada Lovelace' }),
  })
  const body = (await answer.json()) as { id?: string }
  if (body.id === undefined) throw new Error(answer.status + ' ' + JSON.stringify(body))
  return body.id
}

async function statusOf(stack: Stack, path: string): Promise<number> {
  const headers = { authorization: 'Bearer ' + stack.secrets.keys.admin }
  return (await fetch(stack.apiUrl + path, { headers })).status
}

/** Kills every process and deletes both directories; returns the URL of the new, empty database. */
async function loseEverything(stack: Stack): Promise<string> {
  await stack.apiProcess.kill()
  await stack.engineProcess.kill()
  await stack.postgres.stop()
  rmSync(stack.directory, { recursive: true, force: true })
  rmSync(dataPathOf(stack.postgres.directory), { recursive: true, force: true })
  mkdirSync(stack.directory, { mode: 0o700 })
  const server = await stack.postgres.restart()
  stack.replacePostgres(server)
  return server.url
}

async function startAgain(stack: Stack, url: string): Promise<void> {
  await stack.engineProcess.start({ DATABASE_URL: url })
  await stack.apiProcess.start({ DATABASE_URL: url })
  await until(() => stack.ready())
}

async function messageCounts(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ message_id: string; count: number }[]>`
    select message_id, count(*)::int as count from card_transaction_messages
    where message_id is not null group by message_id`
  return new Map(rows.map((row) => [row.message_id, row.count]))
}

/** Cents that the network was told are approved, per card. */
function approvedByAnswers(sent: Iterable<Sent>, cards: readonly SandboxCard[]) {
  const sums = new Map(cards.map((card) => [card.id, 0]))
  const cardOf = new Map(cards.map((card) => [card.pan, card.id]))
  for (const { message, text } of sent) {
    const answer = JSON.parse(text) as { approved: boolean; approved_amount_cents: number }
    const id = cardOf.get(message.card.pan ?? '') ?? ''
    if (answer.approved) sums.set(id, (sums.get(id) ?? 0) + answer.approved_amount_cents)
  }
  return sums
}

async function approvedInDatabase(sql: Sql, cards: readonly SandboxCard[]) {
  const rows = await sql<{ id: string; sum: number }[]>`
    select c.id, coalesce(sum(x.approved_cents), 0)::bigint as sum
    from cards c left join card_transactions x on x.card_id = c.id
    where c.id = any (${cards.map((card) => card.id)}) group by c.id`
  return new Map(rows.map((row) => [row.id, row.sum]))
}

/** The copies lie outside of everything that is lost. */
function placeOf(t: Test): { copy: string; keys: string } {
  const place = mkdtempSync(join(tmpdir(), 'svc-drill-'))
  t.teardown(() => rmSync(place, { recursive: true, force: true }))
  return { copy: join(place, 'copy'), keys: join(place, 'keys') }
}

test('everything is lost and comes back from a backup that was made under load', async (t) => {
  const stack = await startStack(t, {
    environment: { SVC_SNAPSHOT_ENTRIES: '100', SVC_JOURNAL_SEGMENT_BYTES: '1048576' },
  })
  const place = placeOf(t)
  const cards = ['load_plain_1', 'load_plain_2', 'limited_plain'].map(stack.card)
  const network = new Remembering(stack, cards)
  t.teardown(() => network.close())
  const suspendedLater = stack.card('load_plain_9')
  const holderBefore = await createCardholder(stack)

  const end = new AbortController()
  const loading = network.load(end.signal)
  await network.answered(ENOUGH)
  const inBackup = new Map(network.sent)
  const environment = { SVC_DATA_DIR: stack.directory, DATABASE_URL: stack.postgres.url }
  const book = openRunbook('restore')
  const values = { DIR: place.copy, KEYS: place.keys }
  const backup = await book.run('npm run backup -- --to DIR --keys-to KEYS', {
    values,
    environment,
  })
  t.equal(backup.code, 0, backup.output)
  t.notOk(existsSync(place.copy + '.partial'))
  t.comment(backup.output)
  const atBackup = network.sent.size
  await network.answered(atBackup + ENOUGH)
  const holderAfter = await createCardholder(stack)
  await stack.sql`update cards set status = 'suspended' where id = ${suspendedLater.id}`
  end.abort()
  await loading
  await stack.drained()

  const url = await loseEverything(stack)
  const checked = await book.run('npm run restore -- --from DIR --check', { values })
  t.equal(checked.code, 0, checked.output)
  // The new cluster comes with an empty database.
  book.tick('createdb svc')
  const empty = { SVC_DATA_DIR: stack.directory, DATABASE_URL: url }
  const restored = await book.run('npm run restore -- --from DIR --keys-from KEYS', {
    values,
    environment: empty,
  })
  t.equal(restored.code, 0, restored.output)
  const migrated = await book.run('npm run migrate', { environment: empty })
  t.equal(migrated.code, 0, migrated.output)
  await startAgain(stack, url)
  await stack.drained()
  const sql = openPool(url, { max: 2, applicationName: 'svc-drill' })
  t.teardown(() => sql.end({ timeout: 1 }))

  const kept = await messageCounts(sql)
  t.same(
    [...inBackup.keys()].filter((id) => kept.get(id) !== 1),
    [],
    'each answer from before the backup is in PostgreSQL once',
  )
  const entries = Number(/entries \d+ to (\d+)/.exec(backup.output)?.[1])
  t.equal(
    (await stack.engine.status()).synced_seq,
    entries,
    'the journal ends where the backup says',
  )
  t.ok(kept.size < network.sent.size, 'answers after the backup are lost, and the drill shows it')

  const changed: string[] = []
  for (const { message, text } of inBackup.values())
    if ((await network.ask(message)) !== text) changed.push(message.id)
  t.same(changed, [], 'a repeat of a message from before the backup gets the bytes of then')
  const lost = [...network.sent.values()].filter(({ message }) => !kept.has(message.id))
  t.ok(lost.length > 0)
  for (const { message } of lost) await network.ask(message)
  for (const { message } of lost) await network.ask(message)
  await stack.drained()
  const counts = await messageCounts(sql)
  t.same(
    [...network.sent.keys()].filter((id) => counts.get(id) !== 1),
    [],
    'each message is decided once, however often it came',
  )
  const sums = await approvedInDatabase(sql, cards)
  for (const { message } of network.sent.values()) await network.ask(message)
  t.same(sums, approvedByAnswers(network.sent.values(), cards), 'nothing is charged twice')
  t.ok((sums.get(stack.card('limited_plain').id) ?? 0) <= LIMIT_CENTS, 'no limit is passed')

  t.equal(await statusOf(stack, '/v1/cardholders/' + holderBefore), 200)
  t.equal(
    await statusOf(stack, '/v1/cardholders/' + holderAfter),
    404,
    'a change after the backup is lost',
  )
  const answer = JSON.parse(await network.ask(purchase(suspendedLater, 1)))
  t.equal(
    answer.approved,
    true,
    'so is a suspension after the backup: the runbook says to repeat it',
  )
  for (const command of ['npm run audit -- verify', 'npm run journal -- verify']) {
    const { code, output } = await book.run(command, { environment: empty })
    t.equal(code, 0, output)
  }
  t.same(book.left(), [], 'every command of the page was played')
})
