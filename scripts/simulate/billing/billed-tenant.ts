// The tenant of the billing story: its subscription, its sandbox clock, its cards, and its person
// in the portal of the payment processor. Everything goes through the API and the portal's page.
import { randomBytes } from 'node:crypto'
import { sleep } from '../../../shared/clock.ts'
import { type Document, valueAt } from '../api.ts'
import { OwnTenant } from '../own-tenant.ts'
import type { Stage } from '../stage.ts'

export const DAY_MS = 86_400_000
/** A month closes within seconds; a year has twelve, and a machine may be busy. */
const SETTLED_MS_MAX = 120_000
const LOOK_AGAIN_MS = 200
const ADDRESS = {
  ...{ name: 'Ada Lovelace', line1: '1 Main St', city: 'Portland' },
  ...{ postal_code: '97201', country: 'US' },
}

export const GOOD_CARD = '4242424242424242'
export const DECLINED_CARD = '4000000000000341'

export class BilledTenant {
  readonly stage: Stage
  readonly own: OwnTenant
  readonly cardholderId: string
  readonly cardId: string
  /** The moment at which the paid subscription began, Unix milliseconds. */
  anchorMs = 0

  private constructor(stage: Stage, own: OwnTenant, ids: { cardholderId: string; cardId: string }) {
    this.stage = stage
    this.own = own
    this.cardholderId = ids.cardholderId
    this.cardId = ids.cardId
  }

  /** With a program, a cardholder and a card that were there before any plan. */
  static async open(stage: Stage): Promise<BilledTenant> {
    const name = 'Billed ' + randomBytes(4).toString('hex')
    const own = await OwnTenant.open(stage.surroundings.sandbox, name)
    stage.afterwards(() => own.close())
    const { id: program_id } = await own.call('POST', '/v1/programs', { name: 'Cards' })
    const { name: _name, ...address } = ADDRESS
    const person = { first_name: 'Ada', last_name: name, date_of_birth: '1984-02-29', address }
    const made = await own.call('POST', '/v1/cardholders', { program_id, ...person })
    const cardholderId = String(made['id'])
    const kyc = '/v1/simulate/cardholders/' + cardholderId + '/kyc'
    // The provider of the sandbox may have approved already.
    await own.api.call('POST', kyc, { result: 'approved' })
    const card = { cardholder_id: cardholderId, type: 'virtual', currency: 'USD' }
    const { id } = await own.call('POST', '/v1/cards', card)
    return new BilledTenant(stage, own, { cardholderId, cardId: String(id) })
  }

  read(path: string): Promise<Document> {
    return this.own.call('GET', '/v1/billing/' + path)
  }

  /** A change that the tenant's person approves. */
  async change(call: string, body: Document = {}): Promise<Document> {
    const [method = '', path = ''] = call.split(' ')
    return this.own.approved(method as 'POST', '/v1/billing/' + path, body)
  }

  subscription(): Promise<Document> {
    return this.read('subscription')
  }

  /** Newest first. */
  async invoices(): Promise<Document[]> {
    return (await this.read('invoices?limit=100'))['data'] as Document[]
  }

  /** The invoice of boundary k once it is there, in its present state. */
  async invoiceOf(ordinal: number): Promise<Document> {
    const invoices = await this.invoices()
    return invoices.find((each) => each['kind'] === 'period' && each['ordinal'] === ordinal) ?? {}
  }

  async moveTo(atMs: number): Promise<void> {
    const to = new Date(atMs).toISOString()
    await this.own.call('POST', '/v1/sandbox/clock', { to })
  }

  async nowMs(): Promise<number> {
    return Number((await this.own.call('GET', '/v1/sandbox/clock'))['now']) * 1000
  }

  /** Boundary k: the same day of the month, at the same time. The anchor stands before day 29. */
  boundary(k: number): number {
    const at = new Date(this.anchorMs)
    const date = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + k, at.getUTCDate())
    return date + (this.anchorMs % DAY_MS)
  }

  /** A person opens the portal and adds a card, which becomes the one that is charged. */
  async addCardInPortal(number: string): Promise<void> {
    const known = new Set((await this.#methods()).map(({ id }) => id))
    const session = await this.change('POST portal_sessions', {
      return_url: 'http://127.0.0.1/returned',
    })
    const card = { number, exp_month: '12', exp_year: '2040', cvc: '123' }
    const page = await this.#send(String(session['url']), { action: 'add', ...card })
    const ids = [...page.matchAll(/name="payment_method" value="([^"]+)"/g)].map(([, id]) => id)
    const added = ids.find((id) => id !== undefined && !this.#portalCards.has(id))
    for (const id of ids) if (id !== undefined) this.#portalCards.add(id)
    if (added !== undefined)
      await this.#send(String(session['url']), { action: 'default', payment_method: added })
    await this.until(
      () => this.#methods(),
      (now) => now.some((each) => each['default'] === true && !known.has(each['id'])),
    )
  }

  readonly #portalCards = new Set<string>()

  async #send(url: string, form: { [name: string]: string }): Promise<string> {
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
    this.stage.check('portal', 200, answer.status)
    return answer.text()
  }

  async #methods(): Promise<Document[]> {
    return (await this.read('payment_methods'))['data'] as Document[]
  }

  /** One message of the card network about the tenant's card, and the answer to the network. */
  async message(input: Document): Promise<Document> {
    const path = '/v1/simulate/card_network/messages'
    return this.own.call('POST', path, { card_id: this.cardId, ...input })
  }

  /** A physical card that was handed to the carrier. */
  async shipCard(): Promise<void> {
    const asked = {
      ...{ cardholder_id: this.cardholderId, type: 'physical', currency: 'USD' },
      shipping: ADDRESS,
    }
    const { id } = await this.own.call('POST', '/v1/cards', asked)
    await this.own.call('POST', '/v1/simulate/cards/' + id + '/ship', {})
  }

  /** Waits for a status of the subscription; notes the one that it found instead. */
  async reaches(status: string): Promise<Document> {
    const subscription = await this.until(
      () => this.subscription(),
      (now) => now['status'] === status,
    )
    this.stage.check('subscription', { status }, subscription)
    return subscription
  }

  /** Waits for a status of the invoice of boundary k. */
  async invoiceReaches(ordinal: number, status: string): Promise<Document> {
    const invoice = await this.until(
      () => this.invoiceOf(ordinal),
      (now) => now['status'] === status,
    )
    this.stage.check('invoice ' + ordinal, { status }, invoice)
    return invoice
  }

  /** The latest reading, once it is enough or the time is up. */
  async until<Read>(read: () => Promise<Read>, enough: (now: Read) => boolean): Promise<Read> {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const now = await read()
      if (enough(now) || waitedMs >= SETTLED_MS_MAX) return now
      await sleep(LOOK_AGAIN_MS)
    }
  }
}

export function answerOf(message: Document): unknown {
  return valueAt(message, 'answer')
}
