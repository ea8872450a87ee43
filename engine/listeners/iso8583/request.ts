// Converts an ISO message into a network message: the same object that the HTTP listener reads from
// JSON, checked by the same schema. Fields without a place in our message (5, 9, 12, 13, 19, 23,
// 50, 55, 60 to 62, 102, 103) are carried by the codec and not read. README.md has the table of all
// fields.
import { isoInstant } from '../../../shared/clock.ts'
import type {
  EntryMethod,
  MessageKind,
  ThreeDsClaim,
  TransactionType,
  NetworkMessage as Wire,
} from '../../../shared/schemas/network-message.ts'
import { UNREADABLE_PIN } from '../../../shared/schemas/network-message.ts'
import type { IsoMessage } from '../../../shared/wire/iso8583/codec.ts'
import { currencyCode } from '../../../shared/wire/iso8583/currencies.ts'
import { pinOfBlock } from '../../../shared/wire/iso8583/pin-block.ts'
import { decodePrivateData, type PrivateData } from '../../../shared/wire/iso8583/private-data.ts'
import { encoded, messageIdOf, REQUIRED, transactionIdOf, type Whole } from './ids.ts'

/** A field that makes a message unreadable. */
export interface FieldProblem {
  field: number
}

const NO_PRIVATE_DATA: PrivateData = {}
/** Last digit of the MTI of a repeat: 0101, 0121, 0401, 0421. */
const REPEAT = '1'

/** The message of a link, or the first field that is missing or impossible. */
export function networkMessageOf(message: IsoMessage, receivedAtMs: number): Wire | FieldProblem {
  const { mti } = message
  for (const number of REQUIRED) if (message.fields[number] === undefined) return { field: number }
  const fields = message.fields as Whole
  const unread = unreadable(fields)
  if (unread !== null) return { field: unread }
  const track = trackOf(fields)
  const priv = fields[48] === undefined ? NO_PRIVATE_DATA : decodePrivateData(fields[48])
  if (priv === null || misplaced(mti, priv)) return { field: 48 }
  const transmittedAtMs = momentNear(fields[7], receivedAtMs)
  if (transmittedAtMs === null) return { field: 7 }
  const currency = currencyCode(fields[49])
  if (currency === null) return { field: 49 }
  const kind = kindOf(mti, fields, priv)
  const amount = amountOf(kind, fields)
  if (amount === null) return { field: 95 }
  const billing = billingOf(fields)
  if (billing !== null && 'field' in billing) return billing
  if (track !== null && fields[2] !== undefined && track.pan !== fields[2]) return { field: 35 }
  const pan = fields[2] ?? (priv.cardToken === undefined ? track?.pan : undefined)
  const pin = fields[52] === undefined ? null : pinIn(fields[52], pan)
  if (kind === 'advice' && fields[39] === undefined) return { field: 39 }
  const transmittedAt = isoInstant(transmittedAtMs)
  const terminal = encoded(fields[41].trimEnd())
  const named = { terminal, transmittedAt }
  // Fields are set one by one: a spread makes and copies an object for each group of them.
  const wire: Wire = {
    id: messageIdOf(mti, fields, named),
    kind,
    transmitted_at: transmittedAt,
    network_transaction_id: transactionIdOf(fields, named),
    card: cardOf(priv, { pan, expiry: fields[14] ?? track?.expiry, pin }),
    amount_cents: amount,
    currency,
    merchant: merchantOf(fields),
    transaction_type: TRANSACTION_TYPES[fields[3].slice(0, 2)] ?? 'unknown',
    partial_approval_capable: priv.partialApproval === '1',
  }
  if (mti.endsWith(REPEAT)) wire.is_repeat = true
  addEntry(wire, fields)
  addParts(wire, fields)
  if (priv !== NO_PRIVATE_DATA) addPrivate(wire, priv)
  if (billing !== null) wire.billing = billing
  if (kind === 'advice') wire.advice = adviceOf(fields, priv)
  return wire
}

/**
 * Chosen: refused, because no key for message authentication codes is agreed here, and an unchecked
 * code would promise too much.
 */
function unreadable(fields: Whole): number | null {
  if (fields[64] !== undefined) return 64
  if (fields[128] !== undefined) return 128
  // A returned fee is not counted.
  if (fields[28]?.startsWith('C') && Number(fields[28].slice(1)) > 0) return 28
  return null
}

/** Elements of field 48 that do not belong to this message. */
function misplaced(mti: string, priv: PrivateData): boolean {
  if (priv.incremental === '1' && !mti.startsWith('010')) return true
  if (priv.decidedBy !== undefined && !mti.startsWith('012')) return true
  if (priv.threeDsId !== undefined && priv.threeDsClaim === undefined) return true
  return priv.walletProvider !== undefined && priv.walletTokenId === undefined
}

interface Track {
  pan: string
  /** YYMM. */
  expiry: string
}

/** PAN and expiry of track 2. The rest of the track goes no further. */
function trackOf(fields: Whole): Track | null {
  const [pan, rest] = fields[35]?.split(/[=D]/) ?? []
  return pan === undefined || rest === undefined ? null : { pan, expiry: rest.slice(0, 4) }
}

/**
 * Chosen: a block that does not open is a PIN that no card has, so that the message gets a decision
 * and no approval.
 */
function pinIn(block: Buffer, pan: string | undefined): string {
  return pinOfBlock(block, pan ?? '') ?? UNREADABLE_PIN
}

const HALF_YEAR_MS = 182 * 86_400_000
/** The latest field 7 that was less than half a year away: messages of a second share it. */
let latestText = ''
let latestMoment = 0

/**
 * Field 7 has no year: the year nearest to now is taken. Null for a day that this year does not
 * have.
 */
function momentNear(text: string, nowMs: number): number | null {
  if (text === latestText && Math.abs(latestMoment - nowMs) < HALF_YEAR_MS) return latestMoment
  const at = (from: number): number => Number(text.slice(from, from + 2))
  const [month, day, hour, minute, second] = [at(0) - 1, at(2), at(4), at(6), at(8)]
  const thisYear = new Date(nowMs).getUTCFullYear()
  let nearest: number | null = null
  for (const year of [thisYear, thisYear - 1, thisYear + 1]) {
    const moment = Date.UTC(year, month, day, hour, minute, second)
    if (new Date(moment).getUTCDate() !== day) continue
    // Less than half a year away: every other year is farther.
    if (Math.abs(moment - nowMs) < HALF_YEAR_MS) {
      latestText = text
      latestMoment = moment
      return moment
    }
    if (nearest === null || Math.abs(moment - nowMs) < Math.abs(nearest - nowMs)) nearest = moment
  }
  return nearest
}

const BALANCE_INQUIRY = '30'
const CONDITION_VERIFICATION = '51'
const CONDITION_ONLINE = '59'

function kindOf(mti: string, fields: Whole, priv: PrivateData): MessageKind {
  if (mti.startsWith('04')) return 'reversal'
  if (mti.startsWith('012')) return 'advice'
  if (fields[3].startsWith(BALANCE_INQUIRY)) return 'balance_inquiry'
  if (fields[25] === CONDITION_VERIFICATION) return 'account_verification'
  return priv.incremental === '1' ? 'incremental' : 'authorization'
}

/**
 * The amount that a reversal with field 95 reverses: the old amount less its replacement. Null if
 * the replacement is larger.
 */
function amountOf(kind: MessageKind, fields: Whole): number | null {
  const amount = Number(fields[4])
  if (kind !== 'reversal' || fields[95] === undefined) return amount
  const kept = Number(fields[95].slice(0, 12))
  return kept <= amount ? amount - kept : null
}

/** Fields 6, 51 and 10: the network's amount in the cardholder's currency. */
function billingOf(fields: Whole): NonNullable<Wire['billing']> | FieldProblem | null {
  if (fields[6] === undefined) return null
  const currency = fields[51] === undefined ? null : currencyCode(fields[51])
  if (currency === null) return { field: 51 }
  const rate = fields[10]
  return {
    amount_cents: Number(fields[6]),
    currency,
    ...(rate !== undefined && { rate: decimalRate(rate) }),
  }
}

/** `61234567` is 1.234567: the first digit counts the decimals of the other seven. */
function decimalRate(rate: string): string {
  const digits = rate.slice(1)
  const point = digits.length - Number(rate[0])
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '') || '0'
  return point === digits.length ? whole : whole + '.' + digits.slice(point)
}

function cardOf(
  priv: PrivateData,
  { pan, expiry, pin }: { pan: string | undefined; expiry: string | undefined; pin: string | null },
): Wire['card'] {
  const card: Wire['card'] = {}
  if (pan !== undefined) card.pan = pan
  if (priv.cardToken !== undefined) card.token = priv.cardToken
  if (expiry !== undefined) {
    card.exp_month = Number(expiry.slice(2))
    card.exp_year = 2000 + Number(expiry.slice(0, 2))
  }
  if (priv.cvc !== undefined) card.cvc = priv.cvc
  if (pin !== null) card.pin = pin
  return card
}

/**
 * Values for an acquirer that sends neither. A control that lists categories or countries allows
 * neither value.
 */
const UNKNOWN_MCC = '0000'
const UNKNOWN_COUNTRY = 'ZZ'

/** Field 43: name in 25 characters, city in 13, country in 2. */
function merchantOf(fields: Whole): Wire['merchant'] {
  const place = fields[43]
  return {
    id: fields[42].trimEnd() || '-',
    name: place.slice(0, 25).trimEnd() || '-',
    mcc: fields[18] ?? UNKNOWN_MCC,
    city: place.slice(25, 38).trimEnd(),
    country: place.slice(38).trim() || UNKNOWN_COUNTRY,
  }
}

/** First two digits of field 22. */
const ENTRY_METHODS: { readonly [mode: string]: EntryMethod } = {
  '01': 'manual',
  '02': 'swipe',
  '04': 'ocr',
  '05': 'chip',
  '07': 'contactless',
  '10': 'stored_credential',
  '79': 'manual',
  '80': 'swipe',
  '81': 'online',
  '90': 'swipe',
  '91': 'contactless',
  '95': 'chip',
}
/** The chip could not be read: the card was keyed in or swiped. */
const FALLBACK_MODES: ReadonlySet<string> = new Set(['79', '80'])

function addEntry(wire: Wire, fields: Whole): void {
  const mode = fields[22]?.slice(0, 2)
  if (mode === undefined) return
  const keyed = ENTRY_METHODS[mode] ?? 'unknown'
  wire.entry_method = keyed === 'manual' && fields[25] === CONDITION_ONLINE ? 'online' : keyed
  if (FALLBACK_MODES.has(mode)) wire.fallback_from_chip = true
}

/** First two digits of field 3. */
const TRANSACTION_TYPES: { readonly [code: string]: TransactionType } = {
  '00': 'purchase',
  '01': 'cash_withdrawal',
  '09': 'purchase',
  '10': 'account_funding',
  '11': 'quasi_cash',
  '17': 'cash_advance',
  '20': 'refund',
  '26': 'original_credit',
  '28': 'original_credit',
  [BALANCE_INQUIRY]: 'purchase',
  '50': 'bill_payment',
}
const CASHBACK = '40'

/** The parts of the amount. */
function addParts(wire: Wire, fields: Whole): void {
  const fee = fields[28] === undefined ? 0 : Number(fields[28].slice(1))
  const cashback = fields[54] === undefined ? 0 : cashbackIn(fields[54])
  if (fee > 0) wire.fee_cents = fee
  if (cashback > 0) wire.cashback_cents = cashback
}

/** Field 54: account type, amount type, currency, sign, amount; twenty characters each. */
function cashbackIn(amounts: string): number {
  for (let at = 0; at < amounts.length; at += 20) {
    if (amounts.slice(at + 2, at + 4) === CASHBACK) return Number(amounts.slice(at + 8, at + 20))
  }
  return 0
}

const CLAIMS: { readonly [letter: string]: ThreeDsClaim } = {
  Y: 'authenticated',
  A: 'attempted',
  N: 'failed',
  E: 'exempt',
}

function addPrivate(wire: Wire, priv: PrivateData): void {
  const original = priv.originalNetworkTransactionId
  const claim = CLAIMS[priv.threeDsClaim ?? '']
  if (original !== undefined) wire.original_network_transaction_id = original
  if (priv.initiator !== undefined)
    wire.initiator = priv.initiator === 'M' ? 'merchant' : 'cardholder'
  if (priv.recurring !== undefined) wire.recurring = priv.recurring === '1'
  if (priv.final !== undefined) wire.final = priv.final === '1'
  if (priv.walletTokenId !== undefined)
    wire.wallet = {
      token_id: priv.walletTokenId,
      ...(priv.walletProvider !== undefined && { provider: priv.walletProvider }),
    }
  if (claim !== undefined)
    wire.three_ds = {
      claim,
      ...(priv.threeDsId !== undefined && { transaction_id: priv.threeDsId }),
    }
}

/** Values of field 39 with which an advice approves. */
const APPROVALS: ReadonlySet<string> = new Set(['00', '08', '10', '11', '85'])

function adviceOf(fields: Whole, priv: PrivateData): NonNullable<Wire['advice']> {
  const code = fields[39] ?? ''
  return {
    approved: APPROVALS.has(code),
    decided_by: priv.decidedBy === 'S' ? 'sponsor_bank' : 'network',
    response_code: code,
  }
}
