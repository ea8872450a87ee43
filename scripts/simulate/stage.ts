// The stage of a scenario: the network port, the API, the tenant, and a list of things to put back
// afterwards. Every difference is noted here; a scenario never decides for itself whether it
// passed.
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../shared/clock.ts'
import type { NetworkAnswer, NetworkMessage } from '../../shared/schemas/network-message.ts'
import { type Api, type Document, isDocument, valueAt } from './api.ts'
import type { Expected } from './expected.ts'
import { Findings } from './findings.ts'
import { byToken, type MessageChange, type NetworkCard, newMessage } from './message.ts'
import { type Answered, describeExchange, type Network } from './network.ts'
import { cardFor, type SecretCard, type Surroundings } from './sandbox.ts'
import type { Tenant } from './tenant.ts'

/**
 * A network has given up by then; the service promises 1.52 s plus the time of its disk. Design 4.
 */
const ANSWER_MS_MAX = 2000

export interface StageInput {
  surroundings: Surroundings
  network: Network
  api: Api
  clock: Clock
  /** Starts the simulator's tenant on first use; later calls return the same one. */
  openTenant(): Promise<Tenant>
  signal: AbortSignal
}

/** Undoes a change of a scenario. */
export type Undo = () => Promise<void>

export class Stage extends Findings {
  readonly #input: StageInput
  readonly #undos: Undo[] = []
  #tenant: Tenant | null = null
  #messages = 0
  readonly #said: string[] = []

  constructor(input: StageInput) {
    super()
    this.#input = input
  }

  /** Messages sent so far. */
  get messages(): number {
    return this.#messages
  }

  /** Lines for the person at the terminal. */
  get said(): readonly string[] {
    return this.#said
  }

  /** A line that the report shows, whether the story passes or not. */
  say(line: string): void {
    this.#said.push(line)
  }

  get surroundings(): Surroundings {
    return this.#input.surroundings
  }

  get clock(): Clock {
    return this.#input.clock
  }

  /** Refuses to begin anything new once the run was interrupted. */
  get api(): Api {
    this.#input.signal.throwIfAborted()
    return this.#input.api
  }

  card(purpose: string): SecretCard {
    return cardFor(this.#input.surroundings.secrets, purpose)
  }

  /**
   * An everyday purchase with the card, changed as asked; `card` in the change replaces the token.
   */
  message(card: SecretCard, change: MessageChange & { card?: NetworkCard } = {}): NetworkMessage {
    const now = this.#input.clock.nowMs()
    return newMessage(change.card ?? byToken(card), { now, currency: card.currency }, change)
  }

  /**
   * The tenant that real-time programs now ask; the endpoint points back when the scenario ends,
   * however it ends.
   */
  async tenant(): Promise<Tenant> {
    if (this.#tenant !== null) return this.#tenant
    const tenant = await this.#input.openTenant()
    await this.moveEndpoint(tenant.url)
    this.#tenant = tenant
    return tenant
  }

  /** Points the realtime endpoint elsewhere until the scenario ends. */
  async moveEndpoint(url: string): Promise<void> {
    const { api, surroundings } = this.#input
    const endpoint = surroundings.sandbox.realtime_endpoint
    this.#input.signal.throwIfAborted()
    this.afterwards(() => api.moveEndpoint(endpoint.id, endpoint.url))
    await api.moveEndpoint(endpoint.id, url)
  }

  /** Runs when the scenario ends, last registered first. Register before changing anything. */
  afterwards(undo: Undo): void {
    this.#undos.push(undo)
  }

  /** Sends a message; its answer must come in time. */
  async send(message: NetworkMessage, network = this.#input.network): Promise<Answered> {
    this.#input.signal.throwIfAborted()
    this.#messages++
    const answered = await network.send(message)
    this.#checkTime(answered)
    return answered
  }

  /** Sends a request as it is; its answer must come in time. */
  async sendBytes(bytes: Buffer): Promise<Answered> {
    this.#input.signal.throwIfAborted()
    this.#messages++
    const answered = await this.#input.network.sendBytes(bytes)
    this.#checkTime(answered)
    return answered
  }

  #checkTime({ tookMs }: Answered): void {
    if (tookMs > ANSWER_MS_MAX)
      this.note('the answer took ' + Math.round(tookMs) + ' ms, more than ' + ANSWER_MS_MAX)
  }

  /**
   * Sends a message and checks both the answer and the transaction in the API. Returns the
   * transaction, if one is expected.
   */
  async authorize(message: NetworkMessage, expected: Expected): Promise<Document | null> {
    return this.checkAnswered(message, await this.send(message), expected)
  }

  async checkAnswered(
    message: NetworkMessage,
    answered: Answered,
    expected: Expected,
  ): Promise<Document | null> {
    const { answer } = answered
    if (answer === null) {
      this.note('no decision: ' + describeExchange(answered.exchange))
      return null
    }
    this.check('answer', { message_id: message.id, ...expected.answer }, answer)
    if (expected.recorded === null) {
      this.check('answer', { transaction_id: null }, answer)
      return null
    }
    return this.#checkRecorded(message, answer, expected.recorded)
  }

  async #checkRecorded(
    message: NetworkMessage,
    answer: NetworkAnswer,
    expected: NonNullable<Expected['recorded']>,
  ): Promise<Document | null> {
    if (answer.transaction_id === null) return null
    const transaction = await this.api.transaction(answer.transaction_id)
    if (transaction === null) {
      this.note('transaction ' + answer.transaction_id + ' never appeared in the API')
      return null
    }
    this.check(
      'transaction',
      {
        id: answer.transaction_id,
        amount_cents: message.amount_cents,
        currency: message.currency,
        message: { id: message.id },
        merchant: message.merchant,
        ...expected.transaction,
      },
      transaction,
    )
    this.check(
      'transaction',
      { decision: { authorization_code: answer.authorization_code } },
      transaction,
    )
    await this.#checkEvent(transaction, expected.event)
    return transaction
  }

  async #checkEvent(transaction: Document, type: string): Promise<void> {
    const events = await this.api.events(String(transaction['id']))
    this.check(
      'events',
      [type],
      events.map((event) => event['type']),
    )
    const announced = valueAt(events[0], 'data', 'transaction')
    // A late reply changes what GET shows after the event was recorded.
    if (isDocument(valueAt(transaction, 'decision', 'webhook', 'late_answer'))) return
    if (events.length === 1 && !isDeepStrictEqual(announced, transaction))
      this.note('event: data.transaction is not what GET shows')
  }

  /** Ends the scenario: puts everything back and collects the tenant's complaints. Never throws. */
  async end(): Promise<void> {
    for (const undo of this.#undos.splice(0).reverse()) {
      try {
        await undo()
      } catch (error) {
        this.note('could not put things back: ' + messageOf(error))
      }
    }
    for (const problem of this.#tenant?.takeProblems() ?? []) this.note(problem)
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
