// The messages that a front door keeps, in exact situations: owners that end, refuse or are silent.
import { test } from 'tap'
import { HeldMessages } from '../../engine/door/held-messages.ts'
import type { MessageFrame } from '../../engine/member/message-frames.ts'
import type { Clock } from '../../shared/clock.ts'
import { createLog } from '../../shared/log.ts'
import { TimerHeap } from '../simulation/timer-heap.ts'

interface Sent extends MessageFrame {
  epoch: number
}

class Stage {
  readonly #timers = new TimerHeap()
  #nowMs = 0
  readonly clock: Clock = {
    nowMs: () => this.#nowMs,
    monotonicNs: () => this.#nowMs * 1e6,
    after: (delayMs, task) => this.#timers.add(this.#nowMs + delayMs, task),
  }
  readonly held = new HeldMessages({
    clock: this.clock,
    log: createLog({ name: 'test', level: 'silent' }),
  })
  readonly sent: Sent[] = []
  readonly answers: { name: string; status: number; body: string }[] = []

  /** The body lies in memory that the next message overwrites, as a listener's does. */
  readonly #memory = Buffer.alloc(64)

  arrive(name: string, { linked = false } = {}): void {
    this.held.take({
      signature: 'sig',
      keyId: '',
      linked,
      body: this.#memory.subarray(0, this.#memory.write(name)),
      receivedAtMs: this.#nowMs,
      receivedNs: this.clock.monotonicNs(),
      reply: { send: (status, body) => void this.answers.push({ name, status, body }) },
    })
  }

  /** A new owner whose connection is open. */
  owner(epoch: number, { takesLinked = true } = {}): void {
    this.held.replaced({
      epoch,
      isOpen: true,
      takesLinked,
      send: (message) => void this.sent.push({ ...message, epoch }),
    })
    this.held.opened()
  }

  pass(ms: number): void {
    const until = this.#nowMs + ms
    for (;;) {
      const next = this.#timers.takeBefore(until)
      if (next === null) break
      this.#nowMs = next.atMs
      next.task()
    }
    this.#nowMs = until
  }

  get order(): string[] {
    return this.sent.map(({ epoch, body }) => epoch + ' ' + body)
  }
}

test('messages wait for the first owner and go out oldest first, with their age', (t) => {
  const stage = new Stage()
  stage.arrive('a')
  stage.pass(100)
  stage.arrive('b')
  stage.pass(50)
  stage.owner(1)
  t.same(stage.order, ['1 a', '1 b'])
  t.same(
    stage.sent.map(({ ageMs }) => ageMs),
    [150, 50],
  )
  t.end()
})

test('an answered message goes to no other owner, and a late answer changes nothing', (t) => {
  const stage = new Stage()
  stage.owner(1)
  stage.arrive('a')
  stage.arrive('b')
  const [a, b] = stage.sent
  stage.held.answer({ id: a?.id ?? -1, status: 200, body: 'yes' })
  stage.owner(2)
  t.same(stage.order, ['1 a', '1 b', '2 b'])
  stage.held.answer({ id: b?.id ?? -1, status: 200, body: 'no' })
  stage.held.answer({ id: b?.id ?? -1, status: 200, body: 'again' })
  stage.held.answer({ id: 77, status: 200, body: 'unknown' })
  t.same(
    stage.answers.map(({ name, body }) => name + ' ' + body),
    ['a yes', 'b no'],
  )
  t.equal(stage.held.resent, 1)
  t.equal(stage.held.size, 0)
  t.end()
})

test('a message that was open at two deaths in a row goes to no third owner', (t) => {
  const stage = new Stage()
  stage.owner(1)
  stage.arrive('poison')
  stage.owner(2)
  stage.arrive('later')
  stage.owner(3)
  t.same(stage.order, ['1 poison', '2 poison', '2 later', '3 later'])
  t.match(stage.answers, [{ name: 'poison', status: 503 }])
  t.equal(stage.held.quarantined, 1)
  t.end()
})

test('a connection that is opened again to the same owner is no death', (t) => {
  const stage = new Stage()
  stage.owner(1)
  stage.arrive('a')
  for (let round = 0; round < 3; round++) {
    stage.held.closed()
    stage.held.opened()
  }
  t.same(stage.order, ['1 a', '1 a', '1 a', '1 a'])
  t.same(stage.answers, [])
  t.end()
})

test('a refusal for the moment is no answer and no death: the message is sent again', (t) => {
  const stage = new Stage()
  stage.owner(1)
  stage.arrive('a')
  for (let round = 0; round < 3; round++) {
    stage.held.answer({ id: stage.sent[0]?.id ?? -1, status: 503, body: '{}' })
    stage.pass(100)
  }
  stage.owner(2)
  t.same(stage.order, ['1 a', '1 a', '1 a', '1 a', '2 a'])
  t.same(stage.answers, [])
  t.end()
})

test('an owner that takes over over the same connection is no death', (t) => {
  const stage = new Stage()
  stage.owner(1)
  stage.arrive('a')
  stage.held.renamed(2)
  stage.owner(3)
  t.same(stage.order, ['1 a', '3 a'])
  t.equal(stage.held.quarantined, 0)
  t.end()
})

test('a message of a link waits for an owner that takes it', (t) => {
  const stage = new Stage()
  stage.owner(1, { takesLinked: false })
  stage.arrive('a', { linked: true })
  stage.arrive('b')
  stage.pass(100)
  t.same(stage.order, ['1 b'], 'an owner of the release before gets signed messages only')
  stage.owner(2)
  t.same(stage.order, ['1 b', '2 a', '2 b'])
  t.same(
    stage.sent.map(({ linked }) => linked),
    [false, true, false],
  )
  t.end()
})

test('an owner that has a message may conclude it by itself, and no longer', (t) => {
  const stage = new Stage()
  stage.owner(1)
  stage.arrive('a')
  stage.pass(2250)
  t.same(stage.answers, [])
  stage.pass(20)
  t.match(stage.answers, [{ name: 'a', status: 503 }])
  t.end()
})

test('no message waits for longer than 1.5 s from its first byte', (t) => {
  const stage = new Stage()
  stage.arrive('a')
  stage.pass(1500)
  t.same(stage.answers, [])
  stage.pass(20)
  t.match(stage.answers, [{ name: 'a', status: 503 }])
  t.match(JSON.parse(stage.answers[0]?.body ?? ''), { error: { code: 'not_ready' } })
  stage.owner(1)
  t.same(stage.sent, [])
  t.equal(stage.held.expired, 1)
  t.end()
})

test('a door that stops takes no message, and answers those that it took', (t) => {
  const stage = new Stage()
  stage.owner(1)
  stage.arrive('a')
  stage.held.stopping = true
  stage.arrive('late', { linked: true })
  t.match(stage.answers, [{ name: 'late', status: 503 }])
  t.equal(stage.held.size, 1)
  stage.held.answer({ id: stage.sent[0]?.id ?? 0, status: 200, body: '{}' })
  t.match(stage.answers[1], { name: 'a', status: 200 })
  t.end()
})
