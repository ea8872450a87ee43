// Messages of one event loop turn are decided together, in their order, from bytes that are not
// overwritten.
import { setImmediate as turn } from 'node:timers/promises'
import { test } from 'tap'
import { type BatchedMessage, RequestBatch } from '../../engine/listeners/request-batch.ts'
import { fc } from '../harness/properties.ts'

/** The part of a received message that a batch looks at. */
function messageOf(body: Buffer, open = true): BatchedMessage {
  return { body, reply: { open } } as unknown as BatchedMessage
}

function endsOf(body: Buffer): string {
  return body.toString('latin1', 0, 1) + body.toString('latin1', body.length - 1)
}

/** The copy of a text that stands between other bytes. */
function copyOf(room: RequestBatch, text: string): Buffer {
  return room.copy(Buffer.from('<' + text + '>'), 1, 1 + text.length)
}

function arrivals() {
  const told: string[] = []
  const room = new RequestBatch({
    decide: ({ body }) => told.push(body.toString('latin1')),
    decided: () => told.push('all'),
  })
  return { room, told }
}

test('messages of one turn are decided after it, in order, then the batch is reported', async (t) => {
  const { room, told } = arrivals()
  const messages = ['one', 'two', 'three'].map((text) => messageOf(copyOf(room, text)))
  for (const message of messages) room.add(message)
  t.same(told, [], 'nothing before everything is read')
  await turn()
  t.same(told, ['one', 'two', 'three', 'all'])
  room.add(messageOf(copyOf(room, 'four')))
  await turn()
  t.same(told.slice(4), ['four', 'all'])
  await turn()
  t.equal(told.length, 6, 'and nothing where nothing came')
})

test('a message whose sender hung up is not decided', async (t) => {
  const { room, told } = arrivals()
  room.add(messageOf(copyOf(room, 'gone'), false))
  room.add(messageOf(copyOf(room, 'there')))
  await turn()
  t.same(told, ['there', 'all'])
})

test('copied bytes stay unchanged, however many come and whatever happens to their source', async (t) => {
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
          room.add(messageOf(room.copy(theirs, 0, theirs.length)))
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
