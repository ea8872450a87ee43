import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { listSnapshots } from '../../engine/journal/snapshot-file.ts'
import { isoInstant, systemClock } from '../../shared/clock.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { NetworkAnswer } from '../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../shared/signature.ts'
import {
  NETWORK_SECRET,
  newMessage,
  pushConfig,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'
import { until } from '../harness/until.ts'

const MIDNIGHT_MS = Date.UTC(2030, 5, 1)
const LIMIT = 1000 as MinorUnits

test('a message whose body crosses midnight cannot spend a day that is spent', async (t) => {
  let nowMs = MIDNIGHT_MS - 500
  const engine = await startEngine(t, { clock: { ...systemClock, nowMs: () => nowMs } })
  const limits = [limitConfig({ amount_cents: LIMIT })]
  await pushConfig(engine, { more: [controlsConfig({ limits })] })
  const buy = async (): Promise<NetworkAnswer> =>
    JSON.parse((await engine.send(messageAt(nowMs), { nowS: Math.floor(nowMs / 1000) })).text)
  t.equal((await buy()).approved, true)
  t.equal((await buy()).decline_reason, 'limit_daily', 'the day is spent')

  const body = JSON.stringify(messageAt(nowMs))
  const slow = await openRequest(engine, body, nowMs / 1000)
  nowMs = MIDNIGHT_MS + 500
  t.equal((await buy()).approved, true, 'a new day')
  t.match(await slow(body), /"decline_reason":"limit_daily"/)
  t.equal((await engine.entries()).length, 4)
})

test('numbers, filters, rolling seconds, uses and locks survive a restart, with or without a snapshot', async (t) => {
  for (const snapshotEntries of [2, 1000]) {
    const engine = await startEngine(t, { snapshotEntries })
    const filter = { mccs: ['5400-5499'], countries: null, kinds: null, card_present: null }
    const rolling = { interval: 'rolling', rolling_seconds: 7_776_000 } as const
    const limits = [
      limitConfig({ id: 'lim_count', amount_cents: null, count: 3, filter }),
      limitConfig({ id: 'lim_rolling', amount_cents: 3000 as MinorUnits, ...rolling }),
    ]
    const locked = controlsConfig({ id: 'ch_1', scope: 'cardholder', merchant_lock: true })
    const draft = controlsConfig({
      id: 'prog_1',
      scope: 'program',
      state: 'draft',
      cancel_after: 2,
    })
    await pushConfig(engine, { more: [controlsConfig({ limits }), locked, draft] })
    const buy = (listener: TestEngine, change: Parameters<TestEngine['purchase']>[0] = {}) =>
      listener.purchase({ amount_cents: 1000, ...change })
    t.equal((await buy(engine)).approved, true)
    t.equal((await buy(engine)).approved, true)
    const journal = join(engine.directory, 'journal')
    if (snapshotEntries === 2) await until(() => listSnapshots(journal).length > 0)
    const again = await engine.restart()
    t.equal((await buy(again, { amount_cents: 1001 })).decline_reason, 'limit_rolling')
    const elsewhere = { ...newMessage().merchant, id: 'm-2' }
    t.equal((await buy(again, { merchant: elsewhere })).decline_reason, 'merchant_blocked')
    t.equal((await buy(again, { amount_cents: 500 })).approved, true)
    t.equal((await buy(again, { amount_cents: 500 })).decline_reason, 'limit_count')
    const shadows = (await again.entries()).map((entry) =>
      entry.kind === 'decision' ? entry.decision.shadow[0]?.reason : undefined,
    )
    const spent = 'card_single_use_spent'
    t.same(shadows, [null, null, spent, spent, spent, spent])
  }
})

test('a dry run over the private socket decides like the line and leaves nothing behind', async (t) => {
  const engine = await startEngine(t)
  const question = {
    card_id: 'card_1',
    environment: 'sandbox' as const,
    message: newMessage({ card: { token: 'ctok_1' }, amount_cents: 1001 }),
  }
  await t.rejects(engine.client.evaluate(question), {
    status: 503,
    message: /not complete/,
  })
  await pushConfig(engine, {
    more: [controlsConfig({ limits: [limitConfig({ amount_cents: LIMIT })] })],
  })
  const dry = await engine.client.evaluate(question)
  t.match(dry, {
    approved: false,
    decline_reason: 'limit_daily',
    decline_detail: 'card:lim_1',
    max_approvable_amount_cents: 1000,
    would_ask: false,
  })
  t.equal((await engine.purchase({ amount_cents: 1001 })).decline_reason, dry.decline_reason)
  t.equal((await engine.purchase({ amount_cents: 1000 })).approved, true)
  t.equal((await engine.client.evaluate(question)).max_approvable_amount_cents, 0)
  t.equal((await engine.entries()).length, 2)
  const unknown = { status: 404, message: /no such card/ }
  await t.rejects(engine.client.evaluate({ ...question, card_id: 'card_2' }), unknown)
  await t.rejects(engine.client.evaluate({ ...question, environment: 'live' }), unknown)
  const capture = { ...question.message, kind: 'capture' as const }
  await t.rejects(engine.client.evaluate({ ...question, message: capture }), {
    status: 400,
    message: /not decided/,
  })
  const broken = { ...question.message, amount_cents: -1 }
  await t.rejects(engine.client.evaluate({ ...question, message: broken }), {
    status: 400,
    message: /amount_cents/,
  })
  const foreign = 'x' as unknown as typeof question
  await t.rejects(engine.client.evaluate(foreign), { status: 400, message: /not an Eval/ })
})

function messageAt(nowMs: number) {
  return newMessage({ amount_cents: LIMIT, transmitted_at: isoInstant(nowMs) })
}

/** Sends the head of a request; the returned function sends the body and returns the answer. */
async function openRequest(
  engine: TestEngine,
  body: string,
  nowS: number,
): Promise<(body: string) => Promise<string>> {
  const socket = await new Promise<Socket>((resolve) => {
    const opened = connect(Number(new URL(engine.url).port), '127.0.0.1', () => resolve(opened))
  })
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(
    'POST /v1/network/messages HTTP/1.1\r\nHost: x\r\nContent-Length: ' +
      Buffer.byteLength(body) +
      '\r\nSvc-Signature: ' +
      signatureHeader([NETWORK_SECRET], Math.floor(nowS), body) +
      '\r\n\r\n' +
      body.slice(0, 1),
  )
  // Another exchange follows: the engine has read the head by then.
  await fetch(engine.url + '/health/live')
  return async (whole) => {
    socket.write(whole.slice(1))
    await until(() => answer.includes('}'))
    socket.destroy()
    return answer
  }
}
