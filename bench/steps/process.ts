// The process that times the steps; no other code has been compiled in it. Its parent sends `{
// quick }` and gets one StepFigures.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode } from '../../engine/line/decode.ts'
import { gather } from '../../engine/line/gather.ts'
import { judge } from '../../engine/line/judge.ts'
import type { Arrival, Gathered, Message } from '../../engine/line/line.ts'
import { OpenMessages } from '../../engine/line/open-messages.ts'
import { recall } from '../../engine/line/recall.ts'
import { receive, type SignedMessage } from '../../engine/line/receive.ts'
import { decodeEntry, encodeEntry } from '../../shared/wire/journal-entry.ts'
import { partsByStage } from './by-stage.ts'
import { type HeldLine, openHeldLine } from './held-line.ts'
import { type Cost, costOf } from './rounds.ts'

export interface StepFigures {
  /** The whole authorization line; each message by token, or by number with expiry and CVC. */
  line: { token: Cost; pan: Cost }
  /** The steps that can run alone. */
  steps: { [step: string]: Cost }
  /** Share of the authorization line's time by stage; the shares add up to 1. */
  parts: { [stage: string]: number }
}

const CARDS = 10_000
/** The controls in `judge` are all of different kinds. */
const JUDGED_CONTROLS = 10
const PACE = {
  full: { rounds: 40, batch: 5000, warmRounds: 20 },
  quick: { rounds: 12, batch: 3000, warmRounds: 12 },
}
/** A short step runs this many times in a row on the same input. */
const AGAIN = 4

type Pace = (typeof PACE)['full']

process.once('message', (asked) => {
  const pace = (asked as { quick: boolean }).quick ? PACE.quick : PACE.full
  void measure(pace).then((figures) => process.send?.(figures, () => process.disconnect()))
})

async function measure(pace: Pace): Promise<StepFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-steps-'))
  try {
    const held = await openHeldLine(join(directory, 'one'), { cards: CARDS, controlsEach: 1 })
    const line = {
      token: wholeLine(held, pace, 'token'),
      pan: wholeLine(held, pace, 'pan'),
    }
    requireApproved(held)
    const parts = await partsByStage(() => {
      for (let round = 0; round < pace.rounds; round++)
        held.decide(held.messages(pace.batch, 'token'))
    })
    const ten = await openHeldLine(join(directory, 'ten'), {
      cards: CARDS,
      controlsEach: JUDGED_CONTROLS,
    })
    ten.decide(ten.messages(pace.batch, 'token'))
    requireApproved(ten)
    const steps = { ...stepsOf(held, pace), 'judge, ten controls': judgeOf(ten, pace) }
    await held.close()
    await ten.close()
    return { line, steps, parts }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function wholeLine(held: HeldLine, { rounds, batch, warmRounds }: Pace, by: 'token' | 'pan'): Cost {
  return costOf({
    rounds,
    warmRounds,
    prepare: () => held.messages(batch, by),
    work(messages) {
      held.decide(messages)
      return messages.length
    },
  })
}

/** A run in which the line refuses or declines measures something else. */
function requireApproved({ answers, approved }: HeldLine): void {
  const all = Object.values(answers).reduce((sum, count) => sum + count, 0)
  if (approved !== all) throw new Error('not all were approved: ' + JSON.stringify(answers))
}

interface Prepared {
  raw: SignedMessage
  arrival: Arrival
  message: Message
  gathered: Gathered
}

/** Returns the input of each step for messages that are never decided. */
function prepared(held: HeldLine, batch: number): Prepared[] {
  return held.messages(batch, 'token').map((raw) => {
    const arrival = receive(held.line, raw)
    if ('refused' in arrival) throw new Error(arrival.refused)
    const message = decode(held.line, arrival, raw.body)
    if ('refused' in message) throw new Error(message.refused)
    const gathered = gather(held.line, message, raw.receivedAtMs)
    if (gathered === null || gathered === 'incomplete') throw new Error('no card')
    return { raw, arrival, message, gathered }
  })
}

/** The bench uses each result, because the compiler would remove an unused call. */
let looked = 0

function each(pace: Pace, made: Prepared[], step: (one: Prepared) => unknown): Cost {
  return costOf({
    rounds: pace.rounds,
    warmRounds: pace.warmRounds,
    prepare: () => made,
    work(all) {
      for (let again = 0; again < AGAIN; again++)
        for (const one of all) if (step(one) !== undefined) looked += 1
      return AGAIN * all.length
    },
  })
}

function stepsOf(held: HeldLine, pace: Pace): { [step: string]: Cost } {
  const { line } = held
  const made = prepared(held, pace.batch)
  const entry = decodeEntry(held.latestEntry)
  const nobody = new OpenMessages()
  return {
    'receive: signature': each(pace, made, ({ raw }) => receive(line, raw)),
    decode: each(pace, made, ({ arrival, raw }) => decode(line, arrival, raw.body)),
    recall: each(pace, made, ({ arrival, message }) => recall(line, nobody, arrival, message)),
    gather: each(pace, made, ({ message, raw }) => gather(line, message, raw.receivedAtMs)),
    'judge, one control': judgeOf(held, pace),
    encode: each(pace, made, () => encodeEntry(entry)),
  }
}

function judgeOf(held: HeldLine, pace: Pace): Cost {
  return each(pace, prepared(held, pace.batch), ({ gathered }) => judge(gathered.judged, []) ?? '')
}

process.once('exit', () => {
  if (looked === 0) process.exitCode ??= 1
})
