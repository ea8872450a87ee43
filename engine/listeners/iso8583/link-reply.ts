// The way from a decision back to its link.
import type { IsoMessage } from '../../../shared/wire/iso8583/codec.ts'
import type { DecisionEntry } from '../../../shared/wire/journal-entry.ts'
import type { Reply } from '../../line/line.ts'
import { answerOf, decisionAnswer, type Echo } from './answer.ts'

/** The reply path of one message. It keeps no more of the message than its answer repeats. */
export class LinkReply implements Reply {
  readonly #echo: Echo
  #answer: ((answer: IsoMessage) => void) | null
  #decided: DecisionEntry | null = null

  constructor(echo: Echo, answer: (answer: IsoMessage) => void) {
    this.#echo = echo
    this.#answer = answer
  }

  send(status: number, body: string): void {
    const answer = this.#answer
    this.#answer = null
    const decided = this.#decided
    this.#decided = null
    answer?.(
      decided === null ? answerOf(this.#echo, status, body) : decisionAnswer(this.#echo, decided),
    )
  }

  /** The decision itself spares reading the text of its answer. */
  decided(entry: DecisionEntry): void {
    this.#decided = entry
  }
}
