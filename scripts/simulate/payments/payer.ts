// A payer of a story: a cardholder with a payment account, whose passkey is on the telephone of
// the sandbox, and the shop that is paid. All goes through the API; money is minted on the chain.
import { randomBytes } from 'node:crypto'
import { sleep } from '../../../shared/clock.ts'
import { freshAddress } from '../../chain-peer/fresh-address.ts'
import { enrolOn } from '../../holder-peer/pages.ts'
import { createPasskey, type Passkey } from '../../holder-peer/passkey.ts'
import { SHOP } from '../../start/seed/shop.ts'
import type { Document } from '../api.ts'
import type { OwnTenant } from '../own-tenant.ts'
import type { SecretCard } from '../sandbox.ts'
import type { Stage } from '../stage.ts'

/** A block a second, three until it is final, and a busy machine. */
const SETTLED_MS_MAX = 60_000
const LOOK_AGAIN_MS = 100
const DAY_S = 86_400
const FUNDED_CENTS = 10_000
const CLOSED = 'this service has no chain of its own: payments are not played'

export interface PayerOptions {
  /** Cents that the account gets on the chain. */
  fundedCents?: number
  /** The story has the passkey itself, instead of the telephone of the sandbox. */
  ownPasskey?: boolean
}

/** The API of the tenant that is paid. */
type At = Pick<Stage, 'api'>

interface Parties {
  cardholderId: string
  shopId: string
}

export class Payer {
  readonly stage: Stage
  readonly #at: At
  readonly accountId: string
  readonly cardholderId: string
  readonly shopId: string
  /** Null: it is on the telephone. */
  readonly passkey: Passkey | null

  private constructor(
    stage: Stage,
    at: At,
    ids: Parties & { accountId: string; passkey: Passkey | null },
  ) {
    this.stage = stage
    this.#at = at
    this.accountId = ids.accountId
    this.cardholderId = ids.cardholderId
    this.shopId = ids.shopId
    this.passkey = ids.passkey
  }

  /** Null, with a note, where the service settles on another chain than its own. */
  static async open(stage: Stage, options: PayerOptions = {}): Promise<Payer | null> {
    const shops = await got(stage, '/v1/settlement_accounts?external_id=' + SHOP)
    const [shop] = (shops['data'] ?? []) as Document[]
    if (shop === undefined) {
      stage.note(CLOSED)
      return null
    }
    const { cardholder_id: known } = stage.card('load_plain_1')
    const { program_id } = await stage.api.cardholder(known)
    const cardholderId = await approvedCardholder(stage, String(program_id))
    return Payer.#enrol(stage, stage, { cardholderId, shopId: String(shop['id']) }, options)
  }

  /** A payer and a shop of a tenant of the story's own, whose sandbox clock may be moved. */
  static async openOwn(stage: Stage, own: OwnTenant): Promise<Payer> {
    const { id } = await own.call('POST', '/v1/programs', { name: 'Wallets' })
    const shop = await own.approved('POST', '/v1/settlement_accounts', {
      ...{ address: freshAddress(), name: 'Corner Books', mcc: '5942', country: 'US' },
    })
    const cardholderId = await approvedCardholder(own, String(id))
    return Payer.#enrol(stage, own, { cardholderId, shopId: String(shop['id']) }, {})
  }

  static async #enrol(
    stage: Stage,
    at: At,
    parties: Parties,
    { fundedCents = FUNDED_CENTS, ownPasskey = false }: PayerOptions,
  ): Promise<Payer> {
    const body = { cardholder_id: parties.cardholderId }
    const made = await posted(at, '/v1/payment_accounts', body)
    const url = String(made['enrolment_url'])
    const passkey = ownPasskey ? createPasskey(new URL(url).origin) : null
    const payer = new Payer(stage, at, { accountId: String(made['id']), passkey, ...parties })
    if (passkey === null) await payer.next('approve')
    else await enrolOn(url, passkey)
    if (fundedCents > 0) await payer.fund(fundedCents)
    return payer
  }

  /** The telephone enrols at the first call; it answers the next payment. */
  async next(answer: 'approve' | 'deny'): Promise<void> {
    await posted(this.#at, this.#simulate(answer + '_next'), null)
  }

  async fund(cents: number): Promise<void> {
    const before = Number((await this.account())['balance_cents'])
    await posted(this.#at, this.#simulate('fund'), { amount_cents: cents })
    await this.until(
      () => this.account(),
      ({ balance_cents: now }) => Number(now) === before + cents,
    )
  }

  async block(blocked: boolean): Promise<void> {
    await posted(this.#at, this.#simulate(blocked ? 'block' : 'unblock'), null)
  }

  /** An active virtual card of the same cardholder. */
  async newCard(): Promise<SecretCard> {
    const body = { cardholder_id: this.cardholderId, type: 'virtual', currency: 'USD' }
    const card = await posted(this.#at, '/v1/cards', body)
    const { id, token } = card
    return { ...this.stage.card('load_plain_1'), id: String(id), token: String(token) }
  }

  async limitCardholder(limit: { interval: string; amountCents: number }): Promise<void> {
    const { interval, amountCents } = limit
    await posted(this.#at, '/v1/spending_controls', {
      ...{ scope: 'cardholder', subject_id: this.cardholderId },
      limits: [{ interval, amount_cents: amountCents, currency: 'USD', time_zone: 'UTC' }],
    })
  }

  account(): Promise<Document> {
    return got(this.#at, '/v1/payment_accounts/' + this.accountId)
  }

  /** Asks for a withdrawal; the telephone answers it as it was told. */
  async withdraw(amountCents: number, to: string): Promise<Document> {
    const body = { amount_cents: amountCents, to_address: to }
    return posted(this.#at, '/v1/payment_accounts/' + this.accountId + '/withdrawals', body)
  }

  /** Asks for a mandate; the telephone answers it as it was told. */
  async mandate(limitCents: number): Promise<Document> {
    return posted(this.#at, '/v1/payment_mandates', {
      ...{ payment_account_id: this.accountId, settlement_account_id: this.shopId },
      ...{ limit_cents: limitCents, expires_in: DAY_S },
    })
  }

  async mandateReaches(id: string, status: string): Promise<Document> {
    const mandate = await this.until(
      () => got(this.#at, '/v1/payment_mandates/' + id),
      (now) => now['status'] === status,
    )
    this.stage.check('mandate', { status }, mandate)
    return mandate
  }

  /** Waits for a status of a withdrawal; notes the one that it found instead. */
  async withdrawalReaches(id: string, status: string): Promise<Document> {
    const withdrawal = await this.until(
      () => got(this.#at, '/v1/payment_withdrawals/' + id),
      (now) => now['status'] === status,
    )
    this.stage.check('withdrawal', { status }, withdrawal)
    return withdrawal
  }

  payment(id: string): Promise<Document> {
    return got(this.#at, '/v1/payments/' + id)
  }

  /** Asks for a payment; the answer is the first one. */
  async ask(amountCents: number): Promise<Document> {
    return posted(this.#at, '/v1/payments', {
      payment_account_id: this.accountId,
      settlement_account_id: this.shopId,
      amount_cents: amountCents,
    })
  }

  /** A payment that the telephone has approved; its id. */
  async confirmed(amountCents: number): Promise<string> {
    await this.next('approve')
    const id = String((await this.ask(amountCents))['id'])
    await this.reaches(id, 'confirmed')
    return id
  }

  async capture(id: string, amountCents: number, final = true): Promise<void> {
    const body = { amount_cents: amountCents, final }
    await posted(this.#at, '/v1/payments/' + id + '/capture', body)
  }

  async call(id: string, path: string, body: Document | null = null): Promise<Document> {
    return posted(this.#at, '/v1/payments/' + id + '/' + path, body)
  }

  /** Waits for a status; notes the one that it found instead. */
  async reaches(id: string, status: string): Promise<Document> {
    const payment = await this.until(
      () => this.payment(id),
      (now) => now['status'] === status,
    )
    this.stage.check('payment', { status }, payment)
    return payment
  }

  async batchOf(payment: Document): Promise<Document> {
    const [capture] = payment['captures'] as Document[]
    return got(this.#at, '/v1/settlement_batches/' + capture?.['settlement_batch_id'])
  }

  /** Types of the events about a resource, oldest first. */
  async told(id: string, expected: readonly string[]): Promise<void> {
    const events = await this.#at.api.events(id)
    const types = events.map(({ type }) => String(type).replace(/^payment\./, '')).reverse()
    this.stage.check('events', [...expected], types)
  }

  /** The latest reading, once it is enough or the time is up. */
  async until(
    read: () => Promise<Document>,
    enough: (now: Document) => boolean,
  ): Promise<Document> {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const now = await read()
      if (enough(now) || waitedMs >= SETTLED_MS_MAX) return now
      await sleep(LOOK_AGAIN_MS)
    }
  }

  #simulate(path: string): string {
    return '/v1/simulate/payment_accounts/' + this.accountId + '/' + path
  }
}

/** A cardholder of a program, approved in the provider's place. */
async function approvedCardholder(at: At, program_id: string): Promise<string> {
  const made = await posted(at, '/v1/cardholders', {
    ...{ program_id, first_name: 'Sandbox', last_name: 'Payer ' + randomBytes(4).toString('hex') },
    ...{ date_of_birth: '1984-02-29' },
    address: { line1: '1 Main St', city: 'Portland', postal_code: '97201', country: 'US' },
  })
  const id = String(made['id'])
  // The provider of the sandbox may have approved already.
  await at.api.call('POST', '/v1/simulate/cardholders/' + id + '/kyc', { result: 'approved' })
  return id
}

export async function got({ api }: At, path: string): Promise<Document> {
  const { status, document, text } = await api.call('GET', path)
  if (status === 200 && document !== null) return document
  throw new Error(path + ' answered ' + status + ': ' + text.slice(0, 300))
}

export async function posted({ api }: At, path: string, body: Document | null): Promise<Document> {
  const answer = await api.call('POST', path, ...(body === null ? [] : [body]))
  const { status, document, text } = answer
  if (status < 300 && document !== null) return document
  throw new Error(path + ' answered ' + status + ': ' + text.slice(0, 300))
}
