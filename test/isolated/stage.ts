// The stage of a story with an engine of its own: it sends messages, moves the clock, and checks
// the results.

import type { Document } from '../../scripts/simulate/api.ts'
import type { Findings } from '../../scripts/simulate/findings.ts'
import type { NetworkCard } from '../../scripts/simulate/message.ts'
import { describeExchange } from '../../scripts/simulate/network.ts'
import type { Story } from '../../scripts/simulate/scenario.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import type { ConfigChange } from '../../shared/wire/config-records.ts'
import { type OwnChange, type OwnEngine, openOwnEngine } from './engine.ts'
import type { OwnHistory } from './history.ts'

const COUNTS = 'within_limit'

/** A message that was answered. */
export interface Sent {
  message: NetworkMessage
  /** Empty where no decision came back. */
  transactionId: string
}

export class OwnStage {
  readonly engine: OwnEngine
  readonly #findings: Findings

  constructor(engine: OwnEngine, findings: Findings) {
    this.engine = engine
    this.#findings = findings
  }

  get nowMs(): number {
    return this.engine.clock.nowMs()
  }

  push(...changes: ConfigChange[]): Promise<void> {
    return this.engine.push(...changes)
  }

  /** Moves the clock to a moment; holds that expired by then have ended. */
  pass(moment: number): Promise<void> {
    return this.engine.pass(moment)
  }

  /** The engine stops now and is back at a moment. */
  away(moment: number): Promise<void> {
    return this.engine.away(moment)
  }

  /** Sends a message, whose answer must be as expected. */
  async send(change: OwnChange, expected: Document): Promise<Sent> {
    const message = this.engine.message(change)
    const { answer, exchange } = await this.engine.send(message)
    const what = this.#when() + message.kind + ' of ' + message.amount_cents
    if (answer === null) {
      this.note(what + ': no decision: ' + describeExchange(exchange))
      return { message, transactionId: '' }
    }
    this.check(what, { message_id: message.id, ...expected }, answer)
    return { message, transactionId: answer.transaction_id ?? '' }
  }

  /** Sends a message about a transaction: by its name, its card and its merchant. */
  follow(first: Sent, change: OwnChange, expected: Document = RECORDED): Promise<Sent> {
    const { network_transaction_id: original, card, merchant, currency } = first.message
    const about = { original_network_transaction_id: original, card, merchant, currency }
    return this.send({ ...about, ...change }, expected)
  }

  /** Sends a message that must be refused, not decided. */
  async refused(change: OwnChange, status: number, error: Document): Promise<void> {
    const message = this.engine.message(change)
    const { exchange } = await this.engine.send(message)
    const came =
      exchange.kind === 'response'
        ? { status: exchange.status, body: JSON.parse(exchange.body.toString()) }
        : exchange
    this.check(this.#when() + 'refusal', { status, body: { error } }, came)
  }

  history(): Promise<OwnHistory> {
    return this.engine.history()
  }

  /**
   * The transaction must be so, and its events these in this order, each with the next sequence.
   */
  async shows(sent: Sent, transaction: Document, ...events: readonly string[]): Promise<void> {
    const history = await this.history()
    const what = this.#when() + 'transaction of ' + sent.message.amount_cents
    this.check(what, transaction, history.transaction(sent.transactionId))
    this.check(what + ': events', events, history.events(sent.transactionId))
    const sequences = events.map((_event, index) => index + 1)
    this.check(what + ': sequences', sequences, history.sequences(sent.transactionId))
  }

  /**
   * Compares the counts of the limits at the moment when the message was judged, one for each
   * checked limit.
   */
  async counted(sent: Sent, ...limits: readonly Document[]): Promise<void> {
    const looked = (await this.history()).looked(sent.message.id, COUNTS)
    this.check(this.#when() + 'limits of ' + sent.message.amount_cents, limits, looked)
  }

  check(what: string, expected: unknown, actual: unknown): void {
    this.#findings.check(what, expected, actual)
  }

  note(sentence: string): void {
    this.#findings.note(sentence)
  }

  #when(): string {
    return new Date(this.nowMs).toISOString() + ' '
  }
}

/** The answer to a notification. */
const RECORDED = {
  approved: true,
  response_code: '00',
  decline_reason: null,
  decided_by: 'network',
}

/** Approved by the controls, in whole. */
export function approves(cents?: number): Document {
  const amount = cents === undefined ? {} : { approved_amount_cents: cents }
  const why = { decline_reason: null, decided_by: 'static_controls', stand_in: false }
  return { approved: true, response_code: '00', ...why, ...amount }
}

/** Declined by the controls; `code` is field 39. */
export function declines(reason: string, code: string): Document {
  return {
    approved: false,
    approved_amount_cents: 0,
    authorization_code: null,
    decline_reason: reason,
    response_code: code,
    decided_by: 'static_controls',
  }
}

interface OwnTale {
  name: string
  story: string
  covers?: readonly number[]
  /** When it begins. */
  at: number
  play(stage: OwnStage): Promise<void>
}

/** A story that brings an engine of its own, whose clock it moves. */
export interface IsolatedStory extends Story {
  playAlone(findings: Findings): Promise<void>
}

/** A story that opens an engine, plays, and closes it however it ends. */
export function ownStory({ name, story, covers, at, play }: OwnTale): IsolatedStory {
  return {
    name,
    story,
    covers: covers ?? [],
    async playAlone(findings) {
      const engine = await openOwnEngine(at)
      try {
        await play(new OwnStage(engine, findings))
      } finally {
        await engine.close()
      }
    },
  }
}

/** A card of the same holder with another name, and how the network names it. */
export function anotherCard(
  { card }: OwnEngine,
  name: string,
  change: Partial<OwnEngine['card']> = {},
): { configRecord: OwnEngine['card']; by: NetworkCard } {
  const token = 'ctok_' + name
  const id = 'card_' + name
  const fingerprint = Buffer.from(name.padEnd(16)).subarray(0, 16).toString('hex')
  const configRecord = { ...card, id, token, windows_id: id, fingerprint, ...change }
  return { configRecord, by: { token } }
}
