// Messages that came in one turn are decided together, in their order, from bytes that nobody else
// has written over.
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { test } from 'tap'
import { type BatchedMessage, RequestBatch } from '../../engine/listeners/request-batch.ts'

/** What the door has at hand of a message, as far as arrivals look at it. */
function messageOf(body: Buffer, open = true): BatchedMessage {
  return { body, reply: { open } } as unknown as BatchedMessage
}

function endsOf(body: Buffer): string {
  return body.toString('latin1', 0, 1) + body.toString('latin1', body.length - 1)
}

function arrivals() {
  const told: string[] = []
  const room = new RequestBatch({
    decide: ({ body }) => told.push(body.toString('latin1')),
    decided: () => told.push('all'),
  })
  return { room, told }
}

test('what comes in one turn is decided after it, in its order, and then it is said', async (t) => {
  const { room, told } = arrivals()
  const messages = ['one', 'two', 'three'].map((text) => messageOf(room.copy(Buffer.from(text))))
  for (const message of messages) room.add(message)
  t.same(told, [], 'nothing before everything is read')
  await turn()
  t.same(told, ['one', 'two', 'three', 'all'])
  room.add(messageOf(room.copy(Buffer.from('four'))))
  await turn()
  t.same(told.slice(4), ['four', 'all'])
  await turn()
  t.equal(told.length, 6, 'and nothing where nothing came')
})

test('a sender who hung up meanwhile is not decided for', async (t) => {
  const { room, told } = arrivals()
  room.add(messageOf(room.copy(Buffer.from('gone')), false))
  room.add(messageOf(room.copy(Buffer.from('there'))))
  await turn()
  t.same(told, ['there', 'all'])
})

test('bytes stay what they were, however many come and whatever becomes of where they came from', async (t) => {
  const turns = fc.array(fc.array(fc.integer({ min: 1, max: 400_000 }), { maxLength: 6 }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(
    fc.asyncProperty(turns, async (sizes) => {
      const seen: string[] = []
      const room = new RequestBatch({
        decide: ({ body }) => seen.push(body.length + endsOf(body)),
        decided: () => undefined,
      })
      const expected: string[] = []
      for (const one of sizes) {
        for (const size of one) {
          const letter = String.fromCharCode(0x61 + (expected.length % 26))
          const theirs = Buffer.alloc(size, letter)
          room.add(messageOf(room.copy(theirs)))
          theirs.fill(0)
          expected.push(size + letter + letter)
        }
        await turn()
      }
      t.same(seen, expected)
    }),
    { numRuns: 40 },
  )
})
