// The checker of histories finds the order of a right one, and none of a wrong one.
import { test } from 'tap'
import { linearOrder, type Operation } from '../history/linear-order.ts'
import { Random } from '../simulation/random.ts'

const LIMIT_CENTS = 1000

function operation(
  id: string,
  amountCents: number,
  [sentMs, answeredMs]: readonly [number, number],
  approved: boolean | null,
): Operation {
  const answer = approved === null ? null : { approved, atMs: answeredMs }
  return { id, amountCents, sentMs, answer }
}

test('one after the other: the limit decides, and the order is the only one', (t) => {
  const history = [
    operation('a', 600, [0, 1], true),
    operation('b', 600, [2, 3], false),
    operation('c', 400, [4, 5], true),
  ]
  t.same(linearOrder(history, LIMIT_CENTS), ['a', 'b', 'c'])
  t.end()
})

test('planted: overspent, declined with room left, decided before it was sent', (t) => {
  const overspent = [operation('a', 600, [0, 1], true), operation('b', 600, [2, 3], true)]
  t.equal(linearOrder(overspent, LIMIT_CENTS), null)
  t.equal(linearOrder([operation('a', 600, [0, 1], false)], LIMIT_CENTS), null)
  const tooEarly = [operation('a', 600, [0, 1], false), operation('b', 600, [2, 3], true)]
  t.equal(linearOrder(tooEarly, LIMIT_CENTS), null, 'b was sent after the decline of a')
  t.end()
})

test('concurrent authorizations may take effect in either order', (t) => {
  const history = [operation('a', 600, [0, 10], false), operation('b', 600, [1, 2], true)]
  t.same(linearOrder(history, LIMIT_CENTS), ['b', 'a'])
  t.end()
})

test('one without an answer may have happened or not, and never before it was sent', (t) => {
  const lost = operation('lost', 600, [0, 0], null)
  t.ok(linearOrder([lost, operation('b', 600, [5, 6], true)], LIMIT_CENTS))
  t.ok(linearOrder([lost, operation('b', 600, [5, 6], false)], LIMIT_CENTS))
  const late = operation('late', 600, [9, 9], null)
  t.equal(linearOrder([late, operation('b', 600, [5, 6], false)], LIMIT_CENTS), null)
  t.end()
})

/** Clients send at once; a serial limit decides each at some moment before its answer. */
function playedHistory(random: Random): Operation[] {
  const history: Operation[] = []
  let used = 0
  let nowMs = 0
  for (let round = 0; round < 20; round++) {
    const open = Array.from({ length: 1 + random.below(6) }, (_, at) => ({
      id: round + '.' + at,
      amountCents: 10 + random.below(120),
      sentMs: nowMs + random.below(3),
    }))
    for (const sent of [...open].sort(() => random.next() - 0.5)) {
      const approved = used + sent.amountCents <= LIMIT_CENTS
      if (approved) used += sent.amountCents
      const atMs = nowMs + 4 + random.below(6)
      history.push({ ...sent, answer: random.chance(0.1) ? null : { approved, atMs } })
    }
    nowMs += random.chance(0.5) ? 3 : 12
  }
  return history
}

test('histories of a serial limit are explained; with one answer turned most are not', (t) => {
  let refused = 0
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed)
    const history = playedHistory(random)
    if (linearOrder(history, LIMIT_CENTS) === null) t.fail('seed ' + seed)
    const answered = history.filter(({ answer }) => answer !== null)
    const turned = random.pick(answered)
    const wrong = history.map((operation) =>
      operation === turned && operation.answer !== null
        ? { ...operation, answer: { ...operation.answer, approved: !operation.answer.approved } }
        : operation,
    )
    if (linearOrder(wrong, LIMIT_CENTS) === null) refused += 1
  }
  t.ok(refused > 30, refused + ' of 60 were refused')
  t.end()
})
