// A door's connection to an owner that beats: silence is counted in looks, not in time.
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { test } from 'tap'
import { DoorLink } from '../../engine/door/owner-link.ts'
import { BEATS_HEADER } from '../../engine/member/link-paths.ts'
import type { Clock } from '../../shared/clock.ts'
import { until } from '../harness/until.ts'

const ACCEPTED =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: svc-messages\r\n'
const EMPTY_FRAME = Buffer.alloc(4)
const STALLED_MS = 5000
const LOOKS = 10

test('a door that stood still keeps its link, a silent owner loses it', async (t) => {
  const owners: Duplex[] = []
  const server = createServer()
  server.on('upgrade', (_, socket: Duplex) => {
    owners.push(socket.on('error', () => undefined))
    socket.write(ACCEPTED + BEATS_HEADER + ': 1\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const owner of owners) owner.destroy()
    server.close()
  })
  let nowMs = 0
  let due: (() => void)[] = []
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicNs: () => nowMs * 1e6,
    after(_, task) {
      due.push(task)
      return { cancel: () => void due.splice(due.indexOf(task) >>> 0, 1) }
    },
  }
  /** Runs the timers, then reads everything that waits. */
  const look = async (): Promise<void> => {
    const now = due
    due = []
    for (const task of now) task()
    for (let turn = 0; turn < LOOKS; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  let closed = 0
  const link = new DoorLink({
    clock,
    tls: null,
    authorization: '',
    address: '127.0.0.1:' + (server.address() as { port: number }).port,
    onOpen: () => undefined,
    onAnswer: () => undefined,
    onClosed: () => void closed++,
  })
  t.teardown(() => link.end())
  await until(() => link.isOpen)
  nowMs += STALLED_MS
  for (let looks = 0; looks < LOOKS; looks++) await look()
  t.equal(closed, 0, 'the beats of that time may wait to be read')
  owners[0]?.write(EMPTY_FRAME)
  await until(async () => {
    await look()
    return closed === 1
  })
  t.equal(link.isOpen, false)
})

test('a member that never takes over is asked less and less often', async (t) => {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.writeHead(409).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const pauses: number[] = []
  let due: (() => void) | null = null
  const clock: Clock = {
    nowMs: () => 0,
    monotonicNs: () => 0,
    after(ms, task) {
      pauses.push(ms)
      due = task
      return { cancel: () => undefined }
    },
  }
  const link = new DoorLink({
    clock,
    tls: null,
    authorization: '',
    address: '127.0.0.1:' + (server.address() as { port: number }).port,
    onOpen: () => undefined,
    onAnswer: () => undefined,
    onClosed: () => undefined,
  })
  t.teardown(() => link.end())
  for (let attempt = 1; attempt <= 40; attempt++) {
    await until(() => asked === attempt && due !== null)
    const task = due as (() => void) | null
    due = null
    task?.()
  }
  const [first = 0, last = 0] = [pauses[0], pauses.at(-1)]
  t.ok(first < 10 && last >= 100, first + ' ms at first, ' + last + ' ms in the end')
  t.same(
    pauses,
    [...pauses].sort((one, other) => one - other),
  )
})
