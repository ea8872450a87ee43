// The live feed while authorizations come in: entries of a journal, which are applied to PostgreSQL
// as the drain does, and viewers of the dashboard's stream.
import type { Sql } from '../../api/database/pool.ts'
import { sleep } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { decidedEntry, drain } from '../../test/harness/drained.ts'
import { openStream, type Stream, total } from '../../test/harness/stream.ts'
import type { TestTenant } from '../../test/harness/tenant.ts'

const VIEWERS = 8
const PER_SECOND = 2000
/** As the drain: one transaction each so many milliseconds. */
const BATCH_MS = 50
/** Most that the sender may fall behind its pace. */
const PACE_MIN = 0.9
const WAIT_MS = 5000

export interface FeedMeasure {
  viewers: number
  /** Transactions that were really written. */
  perSecond: number
  /** From the decision to the viewer's event, ascending; of shown rows. */
  lagsMs: readonly number[]
  flaws: string[]
}

/** Each viewer has to count every transaction, shown or told as skipped. */
export async function measureFeed(
  sql: Sql,
  tenant: TestTenant,
  at: { origin: string; root: string; cookie: string; seconds: number },
): Promise<FeedMeasure> {
  const viewers = await openViewers(at)
  const begun = performance.now()
  let sent = 0
  for (let batch = 0; batch * BATCH_MS < at.seconds * 1000; batch++) {
    const due = begun + batch * BATCH_MS
    await sleep(Math.max(0, due - performance.now()))
    const now = Date.now()
    const entries = Array.from({ length: (PER_SECOND * BATCH_MS) / 1000 }, (_, index) =>
      decidedEntry(tenant, {
        ...{ id: newId('txn', now), receivedAtMs: now, amountCents: 1000 + index },
      }),
    )
    await drain(sql, ...entries)
    sent += entries.length
  }
  const perSecond = Math.round((1000 * sent) / (performance.now() - begun))
  const flaws = await viewers.flawsAfter(sent)
  if (perSecond < PER_SECOND * PACE_MIN) flaws.push('only ' + perSecond + ' a second were written')
  viewers.close()
  return { viewers: VIEWERS, perSecond, lagsMs: viewers.lagsMs.toSorted((a, b) => a - b), flaws }
}

export interface Viewers {
  /** From the decision to the viewer's event, of shown rows. */
  lagsMs: readonly number[]
  /** Waits until every viewer has counted so many, and says who has not. */
  flawsAfter(sent: number): Promise<string[]>
  close(): void
}

/** Eight viewers of the live page's stream, each with a stream of its own. */
export async function openViewers(at: {
  origin: string
  root: string
  cookie: string
}): Promise<Viewers> {
  const lagsMs: number[] = []
  const streams = await Promise.all(
    Array.from({ length: VIEWERS }, () =>
      openStream(at.origin + at.root + '/live/stream', '', {
        headers: { cookie: at.cookie },
        onEvent: ({ event, data }) => {
          if (event !== 'transactions') return
          const now = Date.now()
          for (const { created_at: decided } of data.transactions)
            lagsMs.push(now - Date.parse(decided))
        },
      }),
    ),
  )
  return {
    lagsMs,
    async flawsAfter(sent) {
      await counted(streams, sent)
      const flaws = streams.flatMap((stream, viewer) => {
        const count = total(stream)
        return count === sent
          ? []
          : ['viewer ' + viewer + ' counted ' + count + ' of ' + sent + stateOf(stream)]
      })
      if (lagsMs.length === 0)
        flaws.push('no viewer saw a transaction: there is no time to measure')
      return flaws
    },
    close: () => {
      for (const stream of streams) stream.close()
    },
  }
}

/** The reason why a viewer may have counted too little, for the flaw. */
function stateOf({ status, ended, told, rest }: Stream): string {
  if (status !== 200) return ', refused with ' + status + ' ' + rest.slice(0, 200)
  const others = told.filter(({ event }) => event !== 'transactions' && event !== 'begin')
  const events = others.map(({ event, data }) => event + ' ' + JSON.stringify(data)).join(', ')
  return (ended ? ', its stream ended' : '') + (events === '' ? '' : ', told of ' + events)
}

async function counted(streams: readonly Stream[], sent: number): Promise<void> {
  const until = performance.now() + WAIT_MS
  while (streams.some((stream) => total(stream) < sent) && performance.now() < until)
    await sleep(50)
}
