import { connect, type Socket } from 'node:net'
import { test } from 'tap'
import { isoInstant, systemClock } from '../../shared/clock.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { NetworkAnswer } from '../../shared/schemas/network-message.ts'
import { signatureHeader } from '../../shared/signature.ts'
import {
  NETWORK_SECRET,
  newMessage,
  pushFacts,
  startEngine,
  type TestEngine,
} from '../harness/engine.ts'
import { controlsFact, limitFact } from '../harness/judged.ts'
import { until } from '../harness/until.ts'

const MIDNIGHT_MS = Date.UTC(2030, 5, 1)
const LIMIT = 1000 as MinorUnits

test('a message whose body comes slowly over midnight cannot spend a day that is spent', async (t) => {
  let nowMs = MIDNIGHT_MS - 500
  const engine = await startEngine(t, { clock: { ...systemClock, nowMs: () => nowMs } })
  const limits = [limitFact({ amount_cents: LIMIT })]
  await pushFacts(engine, { more: [controlsFact({ limits })] })
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

function messageAt(nowMs: number) {
  return newMessage({ amount_cents: LIMIT, transmitted_at: isoInstant(nowMs) })
}

/** Sends the head of a request; the returned function sends the body and gives the answer. */
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
  // Another exchange behind it: the engine has read the head by then.
  await fetch(engine.url + '/health/live')
  return async (whole) => {
    socket.write(whole.slice(1))
    await until(() => answer.includes('}'))
    socket.destroy()
    return answer
  }
}
