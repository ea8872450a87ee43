// The authorization line of a member: opened when the member becomes the owner, because its clock
// and its windows go on from the last decision of the owner before.
import type { Clock } from '../../shared/clock.ts'
import { type AuthorizationLine, openAuthorizationLine } from '../authorize.ts'
import { refuse } from '../line/answer.ts'
import { type Arrival, type Line, type Message, refusal } from '../line/line.ts'
import type { RawMessage } from '../line/receive.ts'
import { forwardClock } from '../line-clock.ts'
import type { Practice } from './practice.ts'

/** A clock that is put forward once, to the last decision at the take-over. */
export class TakeOverClock implements Clock {
  readonly #before: Clock
  #now: Clock

  constructor(before: Clock) {
    this.#before = before
    this.#now = before
  }

  takeOver(latestMs: number): void {
    this.#now = forwardClock(this.#before, latestMs)
  }

  nowMs(): number {
    return this.#now.nowMs()
  }

  monotonicNs(): number {
    return this.#before.monotonicNs()
  }

  after(delayMs: number, task: () => void): ReturnType<Clock['after']> {
    return this.#before.after(delayMs, task)
  }
}

export class LineAtTakeOver implements AuthorizationLine {
  readonly #line: Line
  readonly #clock: TakeOverClock
  readonly #practice: Practice
  #open: AuthorizationLine | null = null

  constructor(line: Line, clock: TakeOverClock, practice: Practice) {
    this.#line = line
    this.#clock = clock
    this.#practice = practice
    practice.begin(line)
  }

  takeOver(): void {
    this.#practice.stop()
    this.#clock.takeOver(this.#line.state.latestMs)
    this.#open = openAuthorizationLine(this.#line)
  }

  authorize(raw: RawMessage): void {
    if (this.#open === null) this.#refuse(raw.reply)
    else this.#open.authorize(raw)
  }

  decide(arrival: Arrival, message: Message): void {
    if (this.#open === null) this.#refuse(arrival.reply)
    else this.#open.decide(arrival, message)
  }

  synced(seq: number): void {
    this.#open?.synced(seq)
  }

  get open(): number {
    return this.#open?.open ?? 0
  }

  #refuse(reply: Arrival['reply']): void {
    const reason = this.#line.unready() ?? 'This engine follows.'
    refuse(this.#line, reply, refusal('not_ready', null, reason))
  }
}
