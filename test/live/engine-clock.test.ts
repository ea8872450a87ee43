// An engine with a wrong system clock: it decides, expires and writes nothing by it, and recovers
// by itself.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Test, test } from 'tap'
import { type Clock, isoInstant, systemClock } from '../../shared/clock.ts'
import { newMessage, pushConfig, startEngine, type TestEngine } from '../harness/engine.ts'
import { until } from '../harness/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LOOK_MS = 1000
const JOURNAL_SCRIPT = new URL('../../scripts/journal.ts', import.meta.url).pathname

/** A machine whose clock is set by hand, and whose engines a test restarts like a supervisor. */
class Machine {
  /** The system clock minus the real one. */
  offsetMs = 0
  /** The database's clock minus the real one; null: PostgreSQL is down. */
  databaseOffsetMs: number | null = 0
  bootId = 'first'
  /** The reasons with which engines stopped themselves. */
  readonly deaths: string[] = []
  readonly #looks: (() => void)[] = []
  readonly #clock: Clock = {
    nowMs: () => systemClock.nowMs() + this.offsetMs,
    monotonicNs: () => systemClock.monotonicNs(),
    after: (delayMs, task) => {
      if (delayMs !== LOOK_MS) return systemClock.after(delayMs, task)
      this.#looks.push(task)
      return { cancel: () => void this.#looks.splice(this.#looks.indexOf(task), 1) }
    },
  }

  start(t: Test, directory?: string): Promise<TestEngine> {
    const databaseOffsetMs = this.databaseOffsetMs
    return startEngine(t, {
      clock: this.#clock,
      machine: { bootId: this.bootId, uptimeMs: () => systemClock.monotonicNs() / 1e6 },
      databaseMs: databaseOffsetMs === null ? null : () => systemClock.nowMs() + databaseOffsetMs,
      onFatal: (reason) => this.deaths.push(reason),
      ...(directory === undefined ? {} : { directory }),
    })
  }

  async restart(t: Test, engine: TestEngine): Promise<TestEngine> {
    await engine.stop()
    this.#looks.length = 0
    return this.start(t, engine.directory)
  }

  /** Lets a second pass for the checks that run once a second. */
  look(): void {
    for (const task of this.#looks.splice(0)) task()
  }
}

async function readiness(engine: TestEngine): Promise<{ status: number; reason: string }> {
  const response = await fetch(engine.url + '/health/ready')
  const { reason = '' } = (await response.json()) as { reason?: string }
  return { status: response.status, reason }
}

async function expiries(engine: TestEngine): Promise<number> {
  return (await engine.entries()).filter(({ kind }) => kind === 'expiry').length
}

/** An engine with open holds. */
async function withHolds(t: Test, machine: Machine, count: number): Promise<TestEngine> {
  const engine = await machine.start(t)
  await pushConfig(engine)
  for (let made = 0; made < count; made++) t.equal((await engine.purchase()).approved, true)
  return engine
}

test('a clock 40 days ahead for 20 s expires no hold, although the database’s clock jumped too', async (t) => {
  const machine = new Machine()
  let engine = await withHolds(t, machine, 5)
  machine.offsetMs = 40 * DAY_MS
  machine.databaseOffsetMs = 40 * DAY_MS
  machine.look()
  t.match(machine.deaths[0], /the clock was stepped/)
  engine = await machine.restart(t, engine)
  for (let second = 0; second < 20; second++) machine.look()
  const { status, reason } = await readiness(engine)
  t.equal(status, 503)
  t.match(
    reason,
    /^The system clock is not confirmed: .*the running time of the machine says .* \(\+3456000 s\)/,
  )
  t.match(reason, /accept-clock machine\+345(5999|6000)s$/)
  t.equal(await expiries(engine), 0)
  const [entry] = await engine.entries()
  if (entry?.kind !== 'decision' || entry.transactionId === null || entry.effect === null)
    throw new Error('a decision opened the first hold')
  const over = { transaction_id: entry.transactionId, link: entry.effect.link }
  const named = [{ ...over, now_ms: systemClock.nowMs() + 40 * DAY_MS }]
  t.equal(await engine.client.endHolds(named), 0, 'nor does the api end one')

  machine.offsetMs = 0
  machine.databaseOffsetMs = 0
  machine.look()
  t.equal((await readiness(engine)).status, 200, 'no operator is needed')
  machine.look()
  t.equal(await expiries(engine), 0)
  t.equal((await engine.purchase()).approved, true)
})

test('a clock an hour ahead for 9 s stops no engine for longer, and no decision carries that hour', async (t) => {
  const machine = new Machine()
  let engine = await withHolds(t, machine, 3)
  machine.offsetMs = HOUR_MS
  await engine.send(newMessage())
  t.match(machine.deaths[0], /the clock was stepped/, 'a message notices before anything looks')
  engine = await machine.restart(t, engine)
  const before = (await engine.entries()).length
  for (let second = 0; second < 9; second++) {
    machine.look()
    const answer = await engine.send(newMessage(), { nowS: (systemClock.nowMs() + HOUR_MS) / 1000 })
    t.equal(answer.status, 503)
  }
  t.equal((await engine.entries()).length, before)
  machine.offsetMs = 0
  machine.look()
  t.equal((await engine.purchase()).approved, true)
  for (const entry of await engine.entries())
    if (entry.kind === 'decision') t.ok(entry.receivedAtMs <= systemClock.nowMs())
  t.equal((await (await machine.restart(t, engine)).purchase()).approved, true)
})

test('a restart needs no database, and no hold expires before its clock is confirmed', async (t) => {
  const machine = new Machine()
  let engine = await withHolds(t, machine, 1)
  machine.databaseOffsetMs = null
  engine = await machine.restart(t, engine)
  t.equal((await engine.purchase()).approved, true, 'the machine’s running time confirms')
  machine.bootId = 'second'
  engine = await machine.restart(t, engine)
  t.equal((await engine.purchase()).approved, true, 'a reboot within minutes')
  t.notMatch(await metrics(engine), /svc_clock_offset_seconds\{/, 'no source')
  t.equal(await expiries(engine), 0)
})

test('a machine off for 40 days waits for the database’s clock, and then its holds expire', async (t) => {
  const machine = new Machine()
  let engine = await withHolds(t, machine, 2)
  machine.bootId = 'second'
  machine.offsetMs = 40 * DAY_MS
  machine.databaseOffsetMs = null
  engine = await machine.restart(t, engine)
  machine.look()
  t.match((await readiness(engine)).reason, /the last decision is of .*accept-clock journal@/)
  t.equal(await expiries(engine), 0)
  await engine.client.databaseSays(Math.round(systemClock.nowMs() + 40 * DAY_MS))
  t.equal((await readiness(engine)).status, 200)
  machine.look()
  await until(async () => (await expiries(engine)) === 2)
  t.match(await metrics(engine), /^svc_clock_offset_seconds\{source="database"\} -?0\.\d+$/m)
})

test('a jump of the database’s clock keeps holds open and stops no decision', async (t) => {
  const machine = new Machine()
  const engine = await withHolds(t, machine, 1)
  await engine.client.databaseSays(systemClock.nowMs() - 40 * DAY_MS)
  t.equal((await engine.purchase()).approved, true)
  const [entry] = await engine.entries()
  if (entry?.kind !== 'decision' || entry.transactionId === null || entry.effect === null)
    throw new Error('a decision opened the first hold')
  const over = { transaction_id: entry.transactionId, link: entry.effect.link }
  const named = [{ ...over, now_ms: systemClock.nowMs() + 40 * DAY_MS }]
  t.equal(await engine.client.endHolds(named), 0)
  await engine.client.databaseSays(systemClock.nowMs())
  t.equal(await engine.client.endHolds(named), 1)
})

test('a clock behind the last decision waits for an operator, who names the disagreement', async (t) => {
  const machine = new Machine()
  let engine = await withHolds(t, machine, 1)
  machine.offsetMs = -HOUR_MS
  machine.databaseOffsetMs = -HOUR_MS
  machine.bootId = 'second'
  engine = await machine.restart(t, engine)
  const [entry] = await engine.entries()
  const last = isoInstant(entry?.kind === 'decision' ? entry.receivedAtMs : 0)
  t.match(await readiness(engine), { status: 503, reason: 'journal@' + last })
  const accept = (...names: string[]) =>
    promisify(execFile)(process.execPath, [
      JOURNAL_SCRIPT,
      'accept-clock',
      ...names,
      '--data-dir',
      engine.directory,
    ])
  await t.rejects(accept(), /Name the disagreement/)
  await t.rejects(accept('journal@' + isoInstant(0)), /is another one: .*accept-clock/)
  t.equal((await readiness(engine)).status, 503)
  t.match(await accept('journal@' + last), { stdout: /now decides by its system clock/ })
  await t.rejects(accept('journal@' + last), /not in question/)

  const purchase = async () => {
    const nowMs = systemClock.nowMs() - HOUR_MS
    const message = newMessage({ transmitted_at: isoInstant(nowMs) })
    return engine.send(message, { nowS: Math.floor(nowMs / 1000) })
  }
  t.match(await purchase(), { status: 200, text: '"approved":true' })
  engine = await machine.restart(t, engine)
  t.match(await purchase(), { status: 200 }, 'the word outlasts a restart')
})

test('an operator says that the database’s clock is the wrong one, and holds expire by ours', async (t) => {
  const machine = new Machine()
  let engine = await withHolds(t, machine, 1)
  const databaseSays = async (): Promise<void> =>
    engine.client.databaseSays(Math.round(systemClock.nowMs() + machine.offsetMs - HOUR_MS))
  await databaseSays()
  t.equal((await readiness(engine)).status, 200, 'the machine’s running time confirms our clock')
  await t.rejects(engine.client.acceptClock('database+7200s'), /is another one: .*\(\+360\d s\)/)
  await engine.client.acceptClock('database+3600s')
  await t.rejects(engine.client.acceptClock('database+3600s'), /not in question/)
  machine.databaseOffsetMs = -HOUR_MS
  engine = await machine.restart(t, engine)
  machine.look()
  const [entry] = await engine.entries()
  if (entry?.kind !== 'decision' || entry.transactionId === null || entry.effect === null)
    throw new Error('a decision opened the first hold')
  const over = { transaction_id: entry.transactionId, link: entry.effect.link }
  const named = [{ ...over, now_ms: systemClock.nowMs() + 40 * DAY_MS }]
  await engine.client.databaseSays(Math.round(systemClock.nowMs() - 2 * HOUR_MS))
  t.equal(await engine.client.endHolds(named), 0, 'the word was about another difference')
  await databaseSays()
  t.equal(await engine.client.endHolds(named), 1, 'the word outlasts a restart')
})

async function metrics(engine: TestEngine): Promise<string> {
  return (await fetch(engine.url + '/metrics')).text()
}
