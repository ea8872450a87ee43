// A change of a template on its way to a hundred thousand passes: its effect on other reads, its
// progress, and the tenant's own pace of events. One dispatcher runs all the time, because a
// freshly started one compiles and takes the processors. The change is put off in between, so both
// sides are measured in the same minutes.
import { sleep } from '../../shared/clock.ts'
import { column, median, rounded } from '../figures.ts'
import { flawsOf } from '../generator.ts'
import { curveOf, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { compare, inTurns, ratioOf } from '../pairs.ts'
import type { Sent } from '../sender.ts'
import type { PassTenant, Scene } from './testbed.ts'

const RATE_PER_S = 200
const CONNECTIONS = 16
const P99_RATIO_MAX = 1.5
/** Events of one tenant. Spec 8. */
const EVENTS_PER_S = 100
/** Chosen by the product: a template goes on as fast as its events leave. */
const PASSES_PER_S = 90
/** A change is put off for so long, and begins again by a statement. */
const PUT_OFF_MS = 3_600_000
const POLL_MS = 50
const ARRIVED_SECONDS_MAX = 60
/** Then it goes on as it always does. */
const SETTLE_MS = 1000
/**
 * The api ends a connection behind its thousandth call, and one takes nearly all of them: so many
 * rounds instead of longer ones.
 */
const PACE = {
  full: { rounds: 13, seconds: 4, warmSeconds: 15 },
  quick: { rounds: 2, seconds: 3, warmSeconds: 8 },
}
/** Passes of another tenant that are read, one after the other. */
const READ = 500

interface Sample {
  sent: Sent
  /** A second: passes that got the new version, events that arrived. */
  passes: number
  events: number
}

export async function measureFanout(scene: Scene, options: BenchOptions): Promise<Findings> {
  const { stand, generator, few, many } = scene
  const { rounds: count, seconds, warmSeconds } = options.quick ? PACE.quick : PACE.full
  options.log('Changing a template of ' + many.rows.toLocaleString('en') + ' passes.')
  const ids = await stand.sql<{ id: string }[]>`
    select id from passes where tenant_id = ${few.tenantId} order by id limit ${READ}`
  await generator.make({ kind: 'whole', requests: ids.map(({ id }) => requestOf(few, id)) })
  const load = { port: stand.api.port, connections: CONNECTIONS, rate: RATE_PER_S, repeats: true }
  await stand.settle()
  const dispatcher = await stand.startDispatcher()
  try {
    await stand.call(many, 'PATCH', '/v1/pass_templates/' + many.templateId, { logo_text: 'Gold' })
    // Here both compile.
    await generator.send({ ...load, seconds: warmSeconds })
    const read = (): Promise<Sent> => generator.send({ ...load, seconds, warmSeconds: 0.2 })
    const rounds = await inTurns(
      { during: () => during(scene, read), idle: () => idle(scene, read) },
      count,
    )
    return findingsOf(
      scene,
      rounds.map((round) => round.during),
      rounds.map((round) => round.idle),
    )
  } finally {
    await dispatcher.stop()
  }
}

/** The template goes on. */
async function during({ stand, many }: Scene, read: () => Promise<Sent>): Promise<Sample> {
  await putOff(stand, many, 0)
  await sleep(SETTLE_MS)
  await stand.receiver.forget()
  const before = { done: await doneOf(stand, many), at: performance.now() }
  const sent = await read()
  const seconds = (performance.now() - before.at) / 1000
  const { passes: arrived } = await stand.receiver.report()
  return {
    sent,
    passes: ((await doneOf(stand, many)) - before.done) / seconds,
    events: (arrived?.count ?? 0) / seconds,
  }
}

/** Runs while no change is under way and all its events have arrived. */
async function idle({ stand, many }: Scene, read: () => Promise<Sent>): Promise<Sample> {
  await putOff(stand, many, PUT_OFF_MS)
  const startedAt = performance.now()
  while (await isTelling(stand)) {
    if (performance.now() - startedAt > ARRIVED_SECONDS_MAX * 1000)
      throw new Error('what was told of does not arrive')
    await sleep(POLL_MS)
  }
  await sleep(SETTLE_MS)
  return { sent: await read(), passes: 0, events: 0 }
}

async function putOff({ sql }: Scene['stand'], tenant: PassTenant, ms: number): Promise<void> {
  await sql`update pass_fanouts set due_at = ${Date.now() + ms}::bigint where template_id = ${tenant.templateId}`
}

async function isTelling({ sql }: Scene['stand']): Promise<boolean> {
  const [row] = await sql<{ waits: boolean }[]>`
    select exists (select from event_outbox) or exists (select from open_deliveries) as waits`
  return row?.waits ?? true
}

/** As its tenant reads the progress. */
async function doneOf(stand: Scene['stand'], tenant: PassTenant): Promise<number> {
  const template = await stand.call(tenant, 'GET', '/v1/pass_templates/' + tenant.templateId)
  return (template['fanout'] as { done: number }).done
}

function requestOf({ key }: PassTenant, id: string): string {
  const head = ['GET /v1/passes/' + id + ' HTTP/1.1', 'Host: bench', 'Authorization: Bearer ' + key]
  return head.join('\r\n') + '\r\n\r\n'
}

function findingsOf({ many }: Scene, busy: readonly Sample[], idle: readonly Sample[]): Findings {
  const rounds = busy.map((during, at) => ({ during, idle: idle[at] as Sample }))
  const p99 = ({ sent }: Sample): number => percentilesOf([sent.latency]).p99
  const compared = compare(rounds, ['during', 'idle'], p99)
  const passes = Math.round(median(busy.map((sample) => sample.passes)))
  const events = rounded(Math.max(...busy.map((sample) => sample.events)))
  const chart = 'A read while a template of ' + many.rows.toLocaleString('en') + ' passes changes'
  const latencies = (samples: readonly Sample[]): string[] =>
    samples.map(({ sent }) => sent.latency)
  const flaws = [...busy, ...idle].flatMap(({ sent }) => flawsOf('the api', sent))
  if (passes === 0) flaws.push('the change did not go on')
  if (events === 0) flaws.push('no event arrived')
  return {
    lines: [
      '',
      ['', 'p50 ms', 'p99 ms', 'p99.9 ms'].map(column).join(''),
      row('while it goes on', latencies(busy)),
      row('idle', latencies(idle)),
      'Passes changed a second: ' + passes + ', events of the tenant a second: ' + events,
      '',
    ],
    figures: { passes_per_second: passes, events_per_second: events },
    targets: [
      {
        sentence: 'events a second of the tenant, at most : ' + EVENTS_PER_S,
        ratio: rounded(events / EVENTS_PER_S),
        atMost: 1,
      },
      {
        sentence: 'passes a second that a change reaches : ' + PASSES_PER_S,
        ratio: rounded(passes / PASSES_PER_S),
        atLeast: 0.85,
      },
    ],
    ratios: [
      ratioOf(compared, {
        sentence: 'p99 of a read while a template changes : idle',
        unit: 'ms',
        bound: { atMost: P99_RATIO_MAX },
      }),
    ],
    flaws: [...new Set(flaws)],
    curves: [
      curveOf(latencies(busy), { chart, name: 'while it goes on' }),
      curveOf(latencies(idle), { chart, name: 'idle' }),
    ],
  }
}

function row(name: string, latencies: readonly string[]): string {
  const { p50, p99, p99_9 } = percentilesOf(latencies)
  return [name, p50, p99, p99_9].map(column).join('')
}
