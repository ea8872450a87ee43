import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { test } from 'tap'
import type { Principal } from '../../api/context.ts'
import type { Sql } from '../../api/database/pool.ts'
import { Feed } from '../../api/issuing/feed/feed.ts'
import { FeedPoller, type FeedSource, ROWS_MAX } from '../../api/issuing/feed/poller.ts'
import { type FeedReader, UNSENT_MAX } from '../../api/issuing/feed/reader.ts'
import type { FeedRecord } from '../../api/issuing/feed/tick.ts'
import type { FeedTick } from '../../shared/schemas/transaction-feed.ts'

/** A clock that a test moves; due tasks run in their order. */
class HandClock {
  #ms = 1_000_000
  #tasks: { at: number; task: () => void }[] = []

  nowMs = () => this.#ms
  monotonicNs = () => this.#ms * 1e6
  after = (delayMs: number, task: () => void) => {
    const entry = { at: this.#ms + delayMs, task }
    this.#tasks.push(entry)
    const cancel = (): void => {
      this.#tasks = this.#tasks.filter((one) => one !== entry)
    }
    return { cancel }
  }

  get waiting(): number {
    return this.#tasks.length
  }

  async pass(ms: number): Promise<void> {
    const until = this.#ms + ms
    for (;;) {
      const [next] = this.#tasks.toSorted((a, b) => a.at - b.at)
      if (next === undefined || next.at > until) break
      this.#tasks = this.#tasks.filter((one) => one !== next)
      this.#ms = next.at
      next.task()
      await turn()
    }
    this.#ms = until
  }
}

/** The list of one owner in memory; reads fail or hang while a test says so. */
class List implements FeedSource {
  rows: FeedRecord[] = []
  reads = 0
  state: 'there' | 'away' | 'hung' = 'there'
  resume = (): void => undefined

  add(count: number, change: (at: number) => Partial<FeedRecord> = () => ({})): void {
    for (let at = 0; at < count; at++)
      this.rows.push({ ...record(this.rows.length + 1), ...change(at) })
  }

  async newestSeq(): Promise<number> {
    if (this.state === 'away') throw new Error('away')
    return this.rows.length
  }

  async rowsAfter(after: number, limit: number): Promise<FeedRecord[]> {
    this.reads += 1
    if (this.state === 'away') throw new Error('away')
    if (this.state === 'hung') await new Promise<void>((resolve) => (this.resume = resolve))
    return this.rows.filter(({ seq }) => seq > after).slice(0, limit)
  }

  async lastFours(cardIds: readonly string[]) {
    return cardIds.map((id) => ({ id, last4: '4242' }))
  }
}

function record(seq: number): FeedRecord {
  return {
    seq,
    id: 'txn_' + seq,
    createdAt: 1_000_000,
    cardId: 'card_1',
    cardholderId: 'ch_1',
    merchantName: 'Corner shop',
    mcc: '5411',
    amountCents: 100,
    approvedCents: 100,
    currency: 'USD',
    status: 'authorized',
    kind: 'initial',
    declineReason: null,
    standIn: false,
    tenantOutcome: null,
    offsetMs: 0,
  }
}

const DECLINED = { status: 'declined', declineReason: 'limit_daily' } as const

interface Told {
  event: string
  id: number | null
  data: unknown
}

/** Everything the reader's connection has not taken yet. */
function take({ body }: FeedReader): Told[] {
  const text = String(body.read() ?? '')
  return text.split('\n\n').flatMap((block) => {
    const lines = Object.fromEntries(
      block
        .split('\n')
        .map((line) => [
          line.slice(0, line.indexOf(':')),
          line.slice(line.indexOf(':') + 1).trim(),
        ]),
    )
    if (block === '') return []
    if (lines['event'] === undefined) return [{ event: 'comment', id: null, data: null }]
    const id = lines['id'] === undefined ? null : Number(lines['id'])
    return [{ event: lines['event'], id, data: JSON.parse(lines['data'] ?? 'null') }]
  })
}

function ticksIn(told: readonly Told[]): FeedTick[] {
  return told.filter(({ event }) => event === 'transactions').map(({ data }) => data as FeedTick)
}

async function openFeed(rows = 0) {
  const clock = new HandClock()
  const list = new List()
  list.add(rows)
  const poller = new FeedPoller(
    { source: list, clock, log: pino({ level: 'silent' }) },
    await list.newestSeq(),
  )
  const join = (change: { lastEventId?: string; allowed?: () => boolean } = {}) =>
    poller.add({
      lastEventId: change.lastEventId ?? null,
      isAllowed: change.allowed ?? (() => true),
      unsentBytes: () => 0,
    })
  return { clock, list, poller, join }
}

test('one read each 100 ms makes one event for all readers', async (t) => {
  const { clock, list, join } = await openFeed(3)
  const readers = [await join(), await join()]
  for (const reader of readers) t.same(take(reader), [{ event: 'begin', id: 3, data: {} }])
  await clock.pass(99)
  t.equal(list.reads, 0)
  list.add(2)
  await clock.pass(1)
  t.equal(list.reads, 1, 'however many readers')
  for (const reader of readers) {
    const told = take(reader)
    t.match(told, [{ event: 'transactions', id: 5, data: { shown: 2, skipped: 0 } }])
    t.equal(told.length, 1)
  }
  await clock.pass(1000)
  t.equal(list.reads, 11)
  t.same(take(readers[0]!), [], 'no news is no event')
})

test('an event counts all transactions and shows 20, the declined ones first', async (t) => {
  const { clock, list, join } = await openFeed()
  const reader = await join()
  take(reader)
  list.add(40, (at) => ({
    ...(at % 8 === 0 ? DECLINED : {}),
    standIn: at < 3,
    tenantOutcome: at < 10 ? 'answered_approve' : at < 12 ? 'not_configured' : null,
  }))
  await clock.pass(100)
  const [tick] = ticksIn(take(reader))
  t.same(tick?.counts, {
    transactions: 40,
    approved: 35,
    declined: 5,
    reasons: { limit_daily: 5 },
    asked: 10,
    stand_in: 3,
  })
  t.same([tick?.shown, tick?.skipped, tick?.transactions.length], [20, 20, 20])
  t.same(
    tick?.transactions.slice(0, 6).map(({ id }) => id),
    ['txn_33', 'txn_25', 'txn_17', 'txn_9', 'txn_1', 'txn_40'],
  )
  t.match(tick?.transactions[0], { last4: '4242', decline_reason: 'limit_daily' })
})

test('more rows than one read holds follow at once', async (t) => {
  const { clock, list, join } = await openFeed()
  const reader = await join()
  list.add(2 * ROWS_MAX + 5)
  await clock.pass(100)
  t.same(
    ticksIn(take(reader)).map(({ counts }) => counts.transactions),
    [ROWS_MAX, ROWS_MAX, 5],
  )
})

test('a reader that comes back gets what it missed, or hears of a gap', async (t) => {
  const { clock, list, join } = await openFeed(ROWS_MAX + 50)
  const back = take(await join({ lastEventId: String(ROWS_MAX + 30) }))
  t.match(ticksIn(back), [{ counts: { transactions: 20 } }])
  const most = take(await join({ lastEventId: '50' }))
  t.match(ticksIn(most), [{ counts: { transactions: ROWS_MAX } }])
  const late = await join({ lastEventId: '49' })
  t.match(take(late), [
    { event: 'begin', id: 49 },
    { event: 'gap', id: ROWS_MAX + 50, data: { skipped: ROWS_MAX + 1 } },
  ])
  list.add(1)
  await clock.pass(100)
  t.match(ticksIn(take(late)), [{ counts: { transactions: 1 } }])
  for (const lastEventId of ['999999999', 'rubbish', '-1', '1e3', '0x10', '']) {
    const reader = await join({ lastEventId })
    t.match(take(reader), [{ event: 'begin', id: ROWS_MAX + 51 }], lastEventId)
  }
})

test('a comment each 15 seconds keeps a silent stream open', async (t) => {
  const { clock, join } = await openFeed()
  const reader = await join()
  take(reader)
  await clock.pass(14_900)
  t.same(take(reader), [])
  await clock.pass(100)
  t.match(take(reader), [{ event: 'comment' }])
  await clock.pass(30_000)
  t.equal(take(reader).length, 2)
})

test('a reader that takes nothing loses transactions and no count, and holds no memory', async (t) => {
  const { clock, list, join } = await openFeed()
  const [stalled, other] = [await join(), await join()]
  take(stalled)
  let seen = 0
  for (let round = 0; round < 200; round++) {
    list.add(30, (at) => (at === 0 ? DECLINED : {}))
    await clock.pass(100)
    for (const { counts } of ticksIn(take(other))) seen += counts.transactions
  }
  t.equal(seen, 6000, 'the other reader is not held up')
  t.ok(stalled.body.readableLength >= UNSENT_MAX)
  t.ok(stalled.body.readableLength < UNSENT_MAX + 16 * 1024, 'one event beyond the bound at most')
  const early = ticksIn(take(stalled))
  await clock.pass(100)
  const [sum, ...more] = ticksIn(take(stalled))
  t.same(more, [])
  t.match(sum, { transactions: [], shown: 0 })
  t.equal(sum?.skipped, sum?.counts.transactions)
  const all = [...early, sum].reduce((total, tick) => total + (tick?.counts.transactions ?? 0), 0)
  t.equal(all, 6000)
  list.add(1)
  await clock.pass(100)
  t.match(ticksIn(take(stalled)), [{ shown: 1, skipped: 0 }], 'from now on as before')
})

test('counts that wait join the next event with room', async (t) => {
  const { clock, list, poller } = await openFeed()
  let unsent = UNSENT_MAX
  const reader = await poller.add({
    lastEventId: null,
    isAllowed: () => true,
    unsentBytes: () => unsent,
  })
  take(reader)
  list.add(5, () => DECLINED)
  await clock.pass(100)
  t.same(take(reader), [], 'the connection itself is full')
  unsent = 0
  list.add(2)
  poller.check()
  await clock.pass(100)
  const ticks = ticksIn(take(reader))
  t.equal(
    ticks.reduce((sum, { counts }) => sum + counts.transactions, 0),
    7,
  )
  t.equal(
    ticks.reduce((sum, { skipped }) => sum + skipped, 0),
    5,
  )
})

test('a stream ends when its credential no longer allows it', async (t) => {
  const { clock, poller, join } = await openFeed()
  let allowed = true
  const reader = await join({ allowed: () => allowed })
  const other = await join()
  take(reader)
  await clock.pass(1000)
  t.same(take(reader), [])
  allowed = false
  poller.check()
  t.match(take(reader), [{ event: 'end', data: { reason: 'not_allowed' } }])
  reader.body.resume()
  await turn()
  t.equal(reader.body.readableEnded, true)
  t.equal(poller.readers, 1)
  allowed = true
  const third = await join({ allowed: () => allowed })
  take(third)
  allowed = false
  await clock.pass(100)
  t.match(take(third), [{ event: 'end' }], 'without a notice too')
  other.body.destroy()
  third.body.destroy()
  await turn()
  t.equal(clock.waiting, 0, 'nobody looks, nothing is read')
})

test('the database may go away: readers hear of it, and nothing is lost', async (t) => {
  const { clock, list, join } = await openFeed()
  const reader = await join()
  take(reader)
  list.state = 'away'
  list.add(3)
  await clock.pass(1000)
  t.same(take(reader), [{ event: 'state', id: null, data: { state: 'waiting' } }])
  list.state = 'there'
  await clock.pass(100)
  const told = take(reader)
  t.match(told, [{ event: 'state', data: { state: 'going_on' } }, { event: 'transactions' }])
  t.match(ticksIn(told), [{ counts: { transactions: 3 } }])
})

test('a database that hangs gets one question', async (t) => {
  const { clock, list, join } = await openFeed()
  const reader = await join()
  take(reader)
  list.state = 'hung'
  list.add(1)
  await clock.pass(5000)
  t.equal(list.reads, 1)
  t.match(take(reader), [{ event: 'state', data: { state: 'waiting' } }])
  list.state = 'there'
  list.resume()
  await turn()
  t.match(ticksIn(take(reader)), [{ counts: { transactions: 1 } }])
})

test('closing ends every stream, also one that takes nothing', async (t) => {
  const { clock, list, poller, join } = await openFeed()
  const [reader, stalled] = [await join(), await join()]
  for (let round = 0; round < 60; round++) {
    list.add(30)
    await clock.pass(100)
    take(reader)
  }
  poller.close()
  t.match(take(reader), [{ event: 'end', data: { reason: 'closing' } }])
  t.equal(stalled.body.destroyed, true)
})

test('a number that another process told first is passed before the reader joins', async (t) => {
  const { clock, list, join } = await openFeed(3)
  const early = await join()
  take(early)
  list.add(5)
  const late = await join({ lastEventId: '6' })
  const told = take(late)
  t.same(told[0], { event: 'begin', id: 6, data: {} })
  t.same(
    ticksIn(told).map(({ counts }) => counts.transactions),
    [2],
    'neither 4 to 6 again nor a gap',
  )
  t.same(
    ticksIn(take(early)).map(({ counts }) => counts.transactions),
    [5],
  )
  list.add(1)
  await clock.pass(100)
  for (const reader of [early, late])
    t.same(
      ticksIn(take(reader)).map(({ counts }) => counts.transactions),
      [1],
    )
})

test('a reader ahead waits for a read that began before its number', async (t) => {
  const { clock, list, join } = await openFeed(3)
  const early = await join()
  list.state = 'hung'
  await clock.pass(100)
  list.add(2)
  const joining = join({ lastEventId: '5' })
  await turn()
  list.state = 'there'
  list.resume()
  const late = await joining
  t.same(
    take(late).map(({ event, id }) => [event, id]),
    [['begin', 5]],
  )
  t.equal(
    ticksIn(take(early)).reduce((sum, { counts }) => sum + counts.transactions, 0),
    2,
  )
})

test('a reader ahead of a database that fails is refused, and no transaction is told twice', async (t) => {
  const { list, join } = await openFeed(3)
  list.add(2)
  list.state = 'away'
  await t.rejects(join({ lastEventId: '5' }), /away/)
})

const OWNER: Principal = {
  ...{ tenantId: 'ten_1', environment: 'sandbox', personId: null, granted: [] },
  ...{ credential: { kind: 'api_key', id: 'key_1' }, publishable: false },
  ...{ apiVersion: '2026-12-01', clockOffsetMs: 0 },
}

/** A feed over a list in memory, which no statement reads. */
function openOwnersFeed() {
  const clock = new HandClock()
  const list = new List()
  const parts = { sql: null as never as Sql, clock, log: pino({ level: 'silent' }) }
  const feed = new Feed(parts, () => list)
  const open = (change: { lastEventId?: string; allowed?: () => boolean } = {}) =>
    feed.open(OWNER, {
      lastEventId: change.lastEventId ?? null,
      isAllowed: change.allowed ?? (() => true),
      unsentBytes: () => 0,
    })
  return { clock, list, feed, open }
}

test('a stream that opens while the last one ends shares its poller with the next', async (t) => {
  const { clock, list, feed, open } = openOwnersFeed()
  let allowed = true
  const first = await open()
  list.add(1)
  list.state = 'hung'
  const opening = open({ lastEventId: '1', allowed: () => allowed })
  await turn()
  first.body.destroy()
  await turn()
  list.state = 'there'
  list.resume()
  const second = await opening
  const third = await open()
  const before = list.reads
  await clock.pass(100)
  t.equal(list.reads, before + 1, 'one poller reads')
  take(second)
  allowed = false
  feed.check()
  await turn()
  t.match(take(second), [{ event: 'end', data: { reason: 'not_allowed' } }])
  second.body.destroy()
  third.body.destroy()
  await turn()
  t.equal(clock.waiting, 0, 'the last one stopped it')
})

test('a stream that could not open leaves no old place to the next one', async (t) => {
  const { list, open } = openOwnersFeed()
  const newest = list.newestSeq.bind(list)
  // The database goes away between the two questions of an opening stream.
  list.newestSeq = async () => {
    list.state = 'away'
    return list.rows.length
  }
  const opening = open({ lastEventId: '7' })
  list.newestSeq = newest
  await t.rejects(opening, /away/)
  list.state = 'there'
  list.add(3)
  t.same(take(await open()), [{ event: 'begin', id: 3, data: {} }])
})

test('a stream that opens while the feed closes ends too', async (t) => {
  const { list, feed, open } = openOwnersFeed()
  const first = await open()
  list.add(1)
  list.state = 'hung'
  const opening = open({ lastEventId: '1' })
  await turn()
  feed.close()
  list.state = 'there'
  list.resume()
  const told = take(await opening)
  t.match(told.at(-1), { event: 'end', data: { reason: 'closing' } })
  t.match(take(first).at(-1), { event: 'end' })
})
