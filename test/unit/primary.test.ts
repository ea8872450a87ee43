// The primary among several hosts, with answers that a test gives by hand.
import { connect, createServer, Socket } from 'node:net'
import { test } from 'tap'
import { type HostAnswer, PrimaryFinder, type Standby } from '../../api/database/primary.ts'
import type { Clock, Timer } from '../../shared/clock.ts'

const HOSTS = ['one', 'two']
const standby = (timeline: number): Standby => ({ standby: timeline })

/** A finder whose hosts answer as told; a host without an answer stays silent. */
function byHand() {
  const answers = new Map<string, HostAnswer>()
  let due: { task: () => void }[] = []
  const clock = {
    after: (_ms: number, task: () => void) => {
      const timer = { task }
      due.push(timer)
      const cancel = (): void => {
        due = due.filter((other) => other !== timer)
      }
      return { cancel }
    },
  } as unknown as Clock
  const ask = (url: string): Promise<HostAnswer> => {
    const answer = answers.get(url)
    return answer === undefined ? new Promise(() => {}) : Promise.resolve(answer)
  }
  return {
    finder: new PrimaryFinder(HOSTS, ask, clock),
    say(one: HostAnswer | null, two: HostAnswer | null): void {
      answers.clear()
      for (const [url, answer] of [
        ['one', one],
        ['two', two],
      ] as const)
        if (answer !== null) answers.set(url, answer)
    },
    timers: () => due.length,
    async look(): Promise<void> {
      for (const { task } of due.splice(0)) task()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('a host that confirms the known timeline is found beside a silent one', async (t) => {
  const { finder, say } = byHand()
  say(1, standby(1))
  t.equal(await finder.find(), 'one')
  say(1, null)
  t.equal(await finder.find(), 'one')
  say(standby(1), 2)
  t.equal(await finder.find(), 'two')
  say(1, 2)
  t.equal(await finder.find(), 'two', 'the old primary is passed over')
})

test('an earlier timeline counts only where no host can be on the later one', async (t) => {
  const { finder, say } = byHand()
  say(1, 2)
  t.equal(await finder.find(), 'two')
  say(1, 'away')
  t.match(await finder.find(), { code: 'ECONNREFUSED' }, 'the new primary may come back')
  say(1, 'silent')
  t.match(await finder.find(), { code: 'ETIMEDOUT' })
  say(1, standby(2))
  t.match(await finder.find(), { code: 'ECONNREFUSED' }, 'the new primary was only restarted')
  say(1, standby(1))
  t.equal(await finder.find(), 'one', 'the other host follows: the database was put back')
  say(1, 'away')
  t.equal(await finder.find(), 'one', 'and its timeline is the known one from then on')
})

test('a look that began before the later timeline was heard does not end it', async (t) => {
  const late: ((answer: HostAnswer) => void)[] = []
  let two: HostAnswer | null = null
  const ask = (url: string): Promise<HostAnswer> => {
    if (url === 'one') return Promise.resolve(1)
    if (two !== null) return Promise.resolve(two)
    return new Promise((resolve) => late.push(resolve))
  }
  const due: (() => void)[] = []
  const after = (_ms: number, task: () => void): Timer => {
    due.push(task)
    return { cancel: () => {} }
  }
  const finder = new PrimaryFinder(HOSTS, ask, { after } as unknown as Clock)
  const socket = new Socket().on('error', () => undefined)
  finder.follow(socket, 'two')
  const slow = finder.find()
  two = 2
  due.shift()?.()
  await new Promise((resolve) => setImmediate(resolve))
  for (const answer of late) answer(standby(1))
  t.match(await slow, { code: 'ECONNREFUSED' }, 'the old primary is passed over')
  t.equal(await finder.find(), 'two')
  socket.destroy()
})

test('two names of one server keep the connections of both looks', async (t) => {
  const { finder, say } = byHand()
  say(standby(1), 1)
  t.equal(await finder.find(), 'two')
  say(1, 1)
  t.equal(await finder.find(), 'two')
  t.equal(await finder.find(), 'two')
})

test('a host that was silent makes the failure a silence', async (t) => {
  const { finder, say } = byHand()
  say(standby(1), 'silent')
  t.match(await finder.find(), { code: 'ETIMEDOUT' })
  say(standby(1), standby(1))
  t.match(await finder.find(), { code: 'ECONNREFUSED' })
})

test('a host that cannot be asked is left out', async (t) => {
  const ask = async (url: string): Promise<HostAnswer> => {
    if (url === 'one') throw new Error('no such file')
    return 1
  }
  t.equal(await new PrimaryFinder(HOSTS, ask).find(), 'two')
})

test('a connection is followed until it closes, also without its listeners', async (t) => {
  const { finder, say, look, timers } = byHand()
  const accepted: Socket[] = []
  const server = createServer((socket) => void accepted.push(socket.resume()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of accepted) socket.destroy()
    server.close()
  })
  const dial = async (url: string): Promise<{ socket: Socket; closed: Promise<void> }> => {
    const { port } = server.address() as { port: number }
    const socket = connect({ host: '127.0.0.1', port })
    finder.follow(socket, url)
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    // The driver does so before it encrypts.
    socket.removeAllListeners()
    socket.on('error', () => undefined)
    return { socket, closed: new Promise((resolve) => socket.once('close', () => resolve())) }
  }
  say(1, standby(1))
  const [first, second] = [await dial('one'), await dial('one')]
  await look()
  t.equal(timers(), 1, 'one look a second while a connection is open')
  first.socket.destroy()
  await first.closed
  t.equal(timers(), 1)
  say(standby(1), 2)
  await look()
  await second.closed
  t.equal(timers(), 0, 'no look without a connection')
})
