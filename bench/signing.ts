// Compares signing and sending in line with signing in threads, by the size of the body: deliveries
// a second, their cost, and the time left to the scheduling thread, which must stay fair to
// tenants.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { ClaimedDelivery, Posting } from '../api/webhooks/delivery/delivery.ts'
import { openSender, type Sender } from '../api/webhooks/delivery/sender.ts'
import { parseCidrs } from '../shared/address.ts'
import { systemClock } from '../shared/clock.ts'
import { createLog } from '../shared/log.ts'
import { column } from './figures.ts'
import type { BenchOptions, Findings, Measured, Series } from './measured.ts'

const SINK = fileURLToPath(new URL('sink-process.ts', import.meta.url))
const BODY_BYTES = { full: [512, 2048, 20_480, 102_400], quick: [2048, 20_480] }
/** The size of most events; the claims hold for this size. */
const TYPICAL_BYTES = 2048
const THREADS = [0, 1, 2]
const NAMES = ['in line', 'one thread']
const IN_FLIGHT = 128
const ENDPOINTS = 32
const PACE = {
  full: { rounds: 9, seconds: 0.7, warmSeconds: 1.5 },
  quick: { rounds: 3, seconds: 0.5, warmSeconds: 0.7 },
}
/** The part of the in-line scheduling time that one sender thread may leave. */
const SCHEDULING_RATIO_MAX = 0.5
/** A thread adds one journey there and back. */
const CPU_RATIO_MAX = 1.5

export const SIGNING: Measured = {
  name: 'signing',
  seconds: { full: 100, quick: 10 },
  run,
}

/** One sender at work for a while. */
interface Sample {
  perSecond: number
  /** Microseconds of all threads, and of the scheduling thread alone. */
  cpuUs: number
  schedulingUs: number
  failed: number
}

interface Row extends Omit<Sample, 'failed'> {
  bodyBytes: number
  threads: number
}

async function run(options: BenchOptions): Promise<Findings> {
  const sink = fork(SINK, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [port] = (await once(sink, 'message')) as [number]
  const senders = new Map(THREADS.map((threads) => [threads, senderOf(threads)]))
  try {
    await Promise.all([...senders.values()].map((sender) => sender.ready()))
    const rows: Row[] = []
    const flaws = new Set<string>()
    for (const bodyBytes of options.quick ? BODY_BYTES.quick : BODY_BYTES.full) {
      options.log('Sending ' + bodyBytes + ' bytes each.')
      const samples = await measure(senders, deliveriesOf(port, bodyBytes), options)
      for (const [threads, of] of samples) {
        rows.push({ bodyBytes, threads, ...middleOf(of) })
        if (of.some(({ failed }) => failed > 0)) flaws.add('deliveries failed')
      }
    }
    return findings(rows, [...flaws])
  } finally {
    await Promise.all([...senders.values()].map((sender) => sender.close()))
    sink.disconnect()
  }
}

function senderOf(threads: number): Sender {
  const opened = parseCidrs('127.0.0.0/8')
  if (!opened.ok) throw new Error(opened.error)
  const log = createLog({ name: 'bench', level: 'error' })
  return openSender({ threads, opened: opened.value, clock: systemClock, log })
}

function deliveriesOf(port: number, bodyBytes: number): (ClaimedDelivery & Posting)[] {
  return Array.from({ length: ENDPOINTS }, (_, index) => ({
    id: 'dlv_' + index,
    eventId: 'evt_' + index,
    resourceId: 'card_1',
    endpointId: 'we_' + index,
    tenantId: 'ten_1',
    environment: 'sandbox',
    cause: 'event',
    cycle: 1,
    attempt: 1,
    isUntried: true,
    epoch: 1,
    leaseToken: 'lease',
    sendBy: Number.POSITIVE_INFINITY,
    url: 'http://127.0.0.1:' + port + '/' + index,
    body: Buffer.alloc(bodyBytes, 'x'),
    secrets: ['whsec_' + Buffer.alloc(32, index).toString('base64')],
  }))
}

/** All sides run in turns, because the noise of the machine then hits each of them. */
async function measure(
  senders: ReadonlyMap<number, Sender>,
  deliveries: readonly (ClaimedDelivery & Posting)[],
  { quick }: BenchOptions,
): Promise<Map<number, Sample[]>> {
  const { rounds, seconds, warmSeconds } = quick ? PACE.quick : PACE.full
  const samples = new Map<number, Sample[]>(THREADS.map((threads) => [threads, []]))
  for (const sender of senders.values()) await keepSending(sender, deliveries, warmSeconds)
  for (let round = 0; round < rounds; round++) {
    for (const [threads, sender] of senders)
      samples.get(threads)?.push(await keepSending(sender, deliveries, seconds))
  }
  return samples
}

async function keepSending(
  sender: Sender,
  deliveries: readonly (ClaimedDelivery & Posting)[],
  seconds: number,
): Promise<Sample> {
  const cpuBefore = process.cpuUsage()
  const loopBefore = performance.eventLoopUtilization()
  const beganAt = performance.now()
  let sent = 0
  let failed = 0
  const slot = async (at: number): Promise<void> => {
    for (let next = at; performance.now() - beganAt < seconds * 1000; next += IN_FLIGHT) {
      const outcome = await sender.send(deliveries[next % ENDPOINTS] as ClaimedDelivery & Posting)
      sent += 1
      if (outcome.errorClass !== null) failed += 1
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, (_, at) => slot(at)))
  const { user, system } = process.cpuUsage(cpuBefore)
  const { active } = performance.eventLoopUtilization(loopBefore)
  return {
    perSecond: (sent * 1000) / (performance.now() - beganAt),
    cpuUs: (user + system) / sent,
    schedulingUs: (active * 1000) / sent,
    failed,
  }
}

function middleOf(samples: readonly Sample[]): Omit<Sample, 'failed'> {
  const of = (field: keyof Sample): number => {
    const sorted = samples.map((sample) => sample[field]).sort((a, b) => a - b)
    return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)
  }
  return { perSecond: of('perSecond'), cpuUs: of('cpuUs'), schedulingUs: of('schedulingUs') }
}

function findings(rows: readonly Row[], flaws: readonly string[]): Findings {
  const at = (threads: number): Row => {
    const found = rows.find((row) => row.bodyBytes === TYPICAL_BYTES && row.threads === threads)
    if (found === undefined) throw new Error('not measured')
    return found
  }
  const ratio = (field: 'cpuUs' | 'schedulingUs'): number =>
    Math.round((at(1)[field] / at(0)[field]) * 100) / 100
  return {
    lines: [
      '',
      ['body', 'threads', 'deliveries/s', 'CPU µs each', 'scheduling µs'].map(column).join(''),
      ...rows.map((row) =>
        [row.bodyBytes, row.threads, row.perSecond, row.cpuUs, row.schedulingUs]
          .map(column)
          .join(''),
      ),
      '',
    ],
    figures: { rows },
    series: [
      chartOf(rows, {
        chart: 'Deliveries signed and sent a second',
        y: 'a second',
        field: 'perSecond',
      }),
      chartOf(rows, {
        chart: 'What is left to the scheduling thread',
        y: 'µs of it each',
        field: 'schedulingUs',
      }),
    ],
    targets: [
      {
        sentence: 'time of the scheduling thread for 2 KB, one sender thread : in line',
        ratio: ratio('schedulingUs'),
        atMost: SCHEDULING_RATIO_MAX,
      },
      {
        sentence: 'processor time for 2 KB, one sender thread : in line',
        ratio: ratio('cpuUs'),
        atMost: CPU_RATIO_MAX,
      },
    ],
    flaws,
  }
}

function chartOf(
  rows: readonly Row[],
  { chart, y, field }: { chart: string; y: string; field: 'perSecond' | 'schedulingUs' },
): Series {
  return {
    chart,
    x: 'bytes of the body',
    y,
    logX: true,
    lines: THREADS.map((threads) => ({
      name: NAMES[threads] ?? threads + ' threads',
      points: rows
        .filter((row) => row.threads === threads)
        .map((row) => [row.bodyBytes, row[field]]),
    })),
  }
}
