// Frames between door and owner: every cut of the stream gives the same messages, and bytes of a
// stranger end the stream and nothing else.
import { test } from 'tap'
import {
  type AnswerFrame,
  encodeAnswer,
  encodeMessage,
  FrameReader,
  fitsFrame,
  type MessageFrame,
  readAnswer,
  readMessage,
} from '../../engine/member/message-frames.ts'
import { Random } from '../simulation/random.ts'

const EMPTY = Buffer.from('{}')
const MESSAGES: readonly MessageFrame[] = [
  {
    id: 0,
    unlocated: false,
    linked: false,
    ageMs: 0,
    signature: '',
    keyId: '',
    body: Buffer.alloc(0),
  },
  {
    id: 1,
    unlocated: true,
    linked: false,
    ageMs: 1499,
    signature: 't=1,v1=ab',
    keyId: 'nk_1',
    body: Buffer.from('{"a":1}'),
  },
  { id: 2, unlocated: true, linked: true, ageMs: 7, signature: '', keyId: 'nk_1', body: EMPTY },
  {
    id: 2 ** 32 - 1,
    unlocated: false,
    linked: true,
    ageMs: 16_383,
    signature: 's',
    keyId: '',
    body: Buffer.alloc(16_384, 7),
  },
]

test('a stream that is cut anywhere gives the same messages', (t) => {
  const stream = Buffer.concat(MESSAGES.map(encodeMessage))
  const random = new Random(7)
  for (let round = 0; round < 200; round++) {
    const found: MessageFrame[] = []
    const reader = new FrameReader()
    for (let at = 0; at < stream.length; ) {
      const next = Math.min(stream.length, at + 1 + random.below(round < 100 ? 40 : 6000))
      const whole = reader.push(stream.subarray(at, next), (frame) => {
        const message = readMessage(frame)
        if (message !== null) found.push(message)
        return message !== null
      })
      if (!whole) t.fail('the stream was refused')
      at = next
    }
    if (found.length !== MESSAGES.length) t.fail('found ' + found.length)
    if (round === 0) t.same(found, MESSAGES)
  }
  t.end()
})

test('answers are read as they were written', (t) => {
  const answers: AnswerFrame[] = [
    { id: 3, status: 200, body: '{"approved":true,"name":"Ä"}' },
    { id: 0, status: 503, body: '' },
  ]
  const found: AnswerFrame[] = []
  const whole = new FrameReader().push(Buffer.concat(answers.map(encodeAnswer)), (frame) => {
    const answer = readAnswer(frame)
    if (answer !== null) found.push(answer)
    return answer !== null
  })
  t.equal(whole, true)
  t.same(found, answers)
  t.end()
})

test('random bytes are refused or wait, and never throw', (t) => {
  const random = new Random(11)
  for (let round = 0; round < 2000; round++) {
    const bytes = Buffer.from(Array.from({ length: random.below(80) }, () => random.below(256)))
    // Half of the rounds begin with a length that fits.
    if (random.chance(0.5) && bytes.length >= 4) bytes.writeUInt32LE(random.below(60), 0)
    const reader = new FrameReader()
    reader.push(bytes, (frame) => readMessage(frame) !== null && readAnswer(frame) !== null)
  }
  t.equal(
    new FrameReader().push(Buffer.from([255, 255, 255, 255]), () => true),
    false,
    'a length that no frame has',
  )
  t.equal(fitsFrame('s', 'k'.repeat(255)), true)
  t.equal(fitsFrame('s', 'k'.repeat(256)), false)
  t.end()
})
