// Scenarios of disputes: opened by a cardholder, evidenced, submitted, decided by the network, or
// forgotten until it is too late.
import { isDeepStrictEqual } from 'node:util'
import { sleep } from '../../../shared/clock.ts'
import { type ApiAnswer, type Document, valueAt } from '../api.ts'
import { matching } from '../differences.ts'
import { capturedPurchase } from '../purchase.ts'
import { covering, type Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const CAPTURED_CENTS = 5000
const DISPUTED_CENTS = 3000
/** Milliseconds until a deadline that a scenario waits for. */
const SHORT_MS = 2000
/** The dispatcher looks every second; a busy machine takes longer. */
const EXPIRED_MS_MAX = 60_000
const LOOK_AGAIN_MS = 100
/** The response is awaited so long after filing. */
const RESPONSE_MS = 30 * 86_400_000

class Dispute {
  readonly #stage: Stage
  readonly #transactionId: string
  readonly id: string
  /** When it was filed, by the tenant's clock, in milliseconds. */
  readonly filedAtMs: number

  private constructor(stage: Stage, transactionId: string, filed: Document) {
    this.#stage = stage
    this.#transactionId = transactionId
    this.id = String(filed['id'])
    this.filedAtMs = Date.parse(String(filed['evidence_due_by'])) - RESPONSE_MS
  }

  static async file(stage: Stage): Promise<Dispute> {
    const { transactionId, currency } = await capturedPurchase(stage, CAPTURED_CENTS)
    const said = { transaction_id: transactionId, reason: 'not_received' }
    const amount = { amount_cents: DISPUTED_CENTS }
    const made = await stage.api.call('POST', '/v1/disputes', { ...said, ...amount })
    const expected = { id: matching(/^dsp_/), ...said, ...amount, currency }
    stage.check(
      'filed',
      { status: 201, document: { ...expected, status: 'needs_response', outcome: null } },
      made,
    )
    const dispute = new Dispute(stage, transactionId, made.document ?? {})
    await dispute.shows({ status: 'needs_response', outcome: null }, ['created'])
    return dispute
  }

  call(path: string, body: Document = {}): Promise<ApiAnswer> {
    return this.#stage.api.call('POST', '/v1/disputes/' + this.id + path, body)
  }

  operate(path: string, body: Document): Promise<ApiAnswer> {
    return this.#stage.api.operate('POST', '/operator/v1/disputes/' + this.id + path, body)
  }

  async submit(): Promise<void> {
    this.#stage.check('submitted', { status: 200 }, await this.call('/submit'))
  }

  async decide(outcome: 'won' | 'lost'): Promise<void> {
    this.#stage.check('decided', { status: 200 }, await this.operate('/outcome', { outcome }))
  }

  async get(): Promise<Document | null> {
    return (await this.#stage.api.call('GET', '/v1/disputes/' + this.id)).document
  }

  /**
   * The dispute and its transaction must be so, and its events these, the latest with the dispute
   * as it is.
   */
  async shows(expected: Document, events: readonly string[]): Promise<void> {
    const { api } = this.#stage
    const dispute = await this.get()
    this.#stage.check('dispute', expected, dispute)
    const { status, outcome } = expected
    const transaction = await api.transaction(this.#transactionId)
    this.#stage.check(
      'transaction',
      {
        disputes: [{ id: this.id, amount_cents: DISPUTED_CENTS, status, outcome }],
        sums: { captured_cents: CAPTURED_CENTS, refunded_cents: 0 },
      },
      transaction,
    )
    const told = (await api.events(this.id)).reverse()
    const types = told.map(({ type }) => String(type).slice('dispute.'.length))
    this.#stage.check('events', events, types)
    if (!isDeepStrictEqual(valueAt(told.at(-1), 'data', 'dispute'), dispute))
      this.#stage.note('data.dispute of the latest event is not what GET shows')
  }
}

function refused(stage: Stage, what: string, answer: ApiAnswer): void {
  stage.check(what, { status: 409, document: { error: { code: 'invalid_state' } } }, answer)
}

async function untilExpired(dispute: Dispute): Promise<void> {
  for (let waitedMs = 0; waitedMs < EXPIRED_MS_MAX; waitedMs += LOOK_AGAIN_MS) {
    if ((await dispute.get())?.['status'] === 'expired') return
    await sleep(LOOK_AGAIN_MS)
  }
}

export const DISPUTES: readonly Scenario[] = covering(
  [55],
  {
    name: 'dispute_won',
    story:
      'A purchase is disputed with evidence; the bank wants more of it, and the network agrees.',
    async play(stage) {
      const dispute = await Dispute.file(stage)
      const shipping = { kind: 'shipping', fields: { tracking_number: '1Z999' } }
      stage.check('evidence', { status: 201 }, await dispute.call('/evidence', shipping))
      await dispute.submit()
      await dispute.shows({ status: 'submitted', outcome: null, evidence_count: 1 }, [
        'created',
        'updated',
      ])
      const more = await dispute.operate('/require_evidence', { requested: 'A letter.' })
      stage.check('required', { status: 200 }, more)
      refused(stage, 'too early', await dispute.operate('/outcome', { outcome: 'won' }))
      const back = ['created', 'updated', 'evidence_required', 'updated']
      const waiting = { status: 'needs_response', outcome: null, evidence_requested: 'A letter.' }
      await dispute.shows(waiting, back)
      await dispute.submit()
      await dispute.decide('won')
      await dispute.shows({ status: 'won', outcome: 'won' }, [...back, 'updated', 'updated'])
    },
  },
  {
    name: 'dispute_lost',
    story: 'A disputed purchase stands: the network decides for the merchant, once and for ever.',
    async play(stage) {
      const dispute = await Dispute.file(stage)
      await dispute.submit()
      await dispute.decide('lost')
      refused(stage, 'again', await dispute.operate('/outcome', { outcome: 'won' }))
      await dispute.shows({ status: 'lost', outcome: 'lost' }, ['created', 'updated', 'updated'])
    },
  },
  {
    name: 'dispute_expired',
    story: 'Nobody responds to a dispute before its deadline: it is lost.',
    async play(stage) {
      const dispute = await Dispute.file(stage)
      const dueBy = new Date(dispute.filedAtMs + SHORT_MS).toISOString()
      const required = { requested: 'A receipt.', due_by: dueBy }
      stage.check('required', { status: 200 }, await dispute.operate('/require_evidence', required))
      await untilExpired(dispute)
      refused(stage, 'too late', await dispute.call('/submit'))
      await dispute.shows({ status: 'expired', outcome: 'lost', evidence_due_by: dueBy }, [
        'created',
        'evidence_required',
        'expired',
      ])
    },
  },
  {
    name: 'dispute_beyond_captured',
    story: 'No more of a purchase is disputed than was captured.',
    async play(stage) {
      const { transactionId } = await capturedPurchase(stage, CAPTURED_CENTS)
      const said = { transaction_id: transactionId, reason: 'fraudulent' }
      const file = (cents: number) =>
        stage.api.call('POST', '/v1/disputes', { ...said, amount_cents: cents })
      const refusal = (left: number) => ({
        status: 409,
        document: { error: { code: 'amount_not_disputable', disputable_cents: left } },
      })
      stage.check('too much', refusal(CAPTURED_CENTS), await file(CAPTURED_CENTS + 1))
      stage.check('a part', { status: 201 }, await file(DISPUTED_CENTS))
      const left = CAPTURED_CENTS - DISPUTED_CENTS
      stage.check('beyond the rest', refusal(left), await file(left + 1))
      stage.check('the rest', { status: 201 }, await file(left))
      stage.check('nothing left', refusal(0), await file(1))
    },
  },
)
