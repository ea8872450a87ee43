// A payment or a settlement batch as text: decision, approval, chain transactions, events and their
// webhooks. Pure.
import { isoInstant } from '../../shared/clock.ts'
import type { EventEnvelope } from '../../shared/schemas/event.ts'
import type { Payment, PaymentCapture, PaymentRefund } from '../../shared/schemas/payment.ts'
import type { SettlementBatch } from '../../shared/schemas/settlement-batch.ts'
import type { Delivery } from './deliveries.ts'
import type { Approved, Attempt } from './payment-rows.ts'
import type { BatchStory, PaymentStory } from './payment-story.ts'
import type { Style } from './style.ts'
import { money, printable, type Row, rowText } from './text.ts'

const BAD = new Set(['risk_declined', 'failed', 'voided'])

/** The whole text, ending in a newline. */
export function paymentTimeline(story: PaymentStory, style: Style): string {
  const { payment } = story
  const { payment_mandate_id: mandateId } = payment
  const rows: Row[] = [
    row('decided', decisionLines(payment)),
    row('approval', [
      ...(mandateId === null ? [] : ['by the mandate ' + mandateId]),
      ...approvalLines(story.approval, style),
    ]),
    ...payment.captures.map((each) => row('capture', transferLines(each))),
    ...payment.refunds.map((each) => row('refund', transferLines(each))),
    ...story.batches.map(({ batch, attempts }) =>
      row('batch', [batch.id + ' ' + batch.status, ...attemptLines(attempts)]),
    ),
    row('journal', journalLines(story.journal)),
    ...eventRows(story),
  ]
  return headingOf(payment, style) + '\n' + textOf(rows, style)
}

/** The whole text, ending in a newline. */
export function batchTimeline(story: BatchStory, style: Style): string {
  const { batch, payments, attempts } = story
  const { failure, review, counts } = batch
  const heading =
    titled(style, batch) +
    '\n' +
    usd(batch.gross_cents) +
    ' of captures, ' +
    usd(batch.refunds_cents) +
    ' of refunds, fee ' +
    usd(batch.fee_cents) +
    paidWords(batch) +
    '\n'
  const outcome = [
    'closed by ' +
      batch.trigger +
      ', ' +
      counts.captures +
      ' captures, ' +
      counts.refunds +
      ' refunds',
    ...(batch.block_number === null
      ? []
      : ['block ' + batch.block_number + ', gas ' + batch.gas_used]),
    ...(failure === null ? [] : ['failed: ' + failure.stage + ', ' + failure.code]),
    ...(review === null
      ? []
      : [['review', review.status, review.resolution ?? []].flat().join(' ')]),
  ]
  const rows = [
    row('batch', outcome),
    row('chain', attemptLines(attempts)),
    row('payments', payments.length === 0 ? ['none'] : payments),
    ...eventRows(story),
  ]
  return heading + '\n' + textOf(rows, style)
}

function paidWords({ status, net_cents: net }: SettlementBatch): string {
  if (status === 'failed') return ', nothing paid'
  return (status === 'completed' ? ', paid ' : ', to be paid ') + usd(net)
}

function headingOf(payment: Payment, style: Style): string {
  const { captured_cents: captured, refunded_cents: refunded, voided_cents: voided } = payment
  return [
    titled(style, payment),
    usd(payment.amount_cents) +
      ' from ' +
      payment.payment_account_id +
      ' to ' +
      payment.settlement_account_id +
      (payment.description === null ? '' : ': ' + printable(payment.description)),
    'captured ' + usd(captured) + ', refunded ' + usd(refunded) + ', released ' + usd(voided),
    '',
  ].join('\n')
}

export function titled(style: Style, { id, status }: { id: string; status: string }): string {
  return style.strong(id) + '  ' + (BAD.has(status) ? style.bad(status) : style.good(status))
}

function decisionLines({ created, decline_reason: reason, decision }: Payment): string[] {
  const verdict = reason === null ? 'approved' : 'declined: ' + reason
  const steps = (decision?.trace ?? []).map((step) => JSON.stringify(step))
  return ['at ' + isoInstant(created * 1000) + ', ' + verdict, ...steps]
}

export function approvalLines(approval: PaymentStory['approval'], style: Style): string[] {
  if (typeof approval === 'string') return [approval]
  if (approval === null) return ['the holder has not approved with a passkey']
  return [
    'at ' + isoInstant(approval.confirmedAt) + ' on ' + printable(approval.origin),
    approval.problem === null
      ? style.good('the stored signature holds, checked again offline')
      : style.bad('the stored signature fails: ' + approval.problem),
    termsLine(approval, style),
    approval.confirmedByChain === null
      ? 'no RPC answered for the contract then'
      : 'the contract answered ' + approval.confirmedByChain + ' then',
  ]
}

function termsLine({ termsMatch }: Approved, style: Style): string {
  if (termsMatch === null) return 'the terms are not compared: no chain is described here'
  return termsMatch
    ? style.good('its challenge is the digest of the stored terms')
    : style.bad('its challenge is not the digest of the stored terms')
}

function transferLines(transfer: PaymentCapture | PaymentRefund): string[] {
  const { id, amount_cents: cents, status, failure, transaction_hash: hash } = transfer
  return [
    id + ' of ' + usd(cents) + ', ' + status,
    ...(hash === null ? [] : ['transaction ' + hash + ', block ' + transfer.block_number]),
    ...(failure === null ? [] : ['failed: ' + failure.stage + ', ' + failure.code]),
  ]
}

export function attemptLines(attempts: Attempt[] | string): string[] {
  if (typeof attempts === 'string') return ['attempts ' + attempts]
  if (attempts.length === 0) return ['no transaction was signed']
  return attempts.map(
    ({ nonce, attempt, hash, max_fee_wei: fee, sent_block: sent, final_block: final }) =>
      'nonce ' +
      nonce +
      ' attempt ' +
      attempt +
      ' ' +
      hash +
      ', at most ' +
      fee +
      ' wei a gas' +
      (sent === null ? ', not taken by an RPC' : ', sent at block ' + sent) +
      (final === null ? '' : ', final at block ' + final),
  )
}

function journalLines(journal: PaymentStory['journal']): string[] {
  if (typeof journal === 'string') return [journal]
  if (journal.length === 0) return ['entries drained and recycled']
  return journal.map(
    ({ kind, seq, journal_id: id, bytes }) =>
      kind + ' entry ' + seq + ' of ' + id + ', ' + bytes + ' bytes',
  )
}

function eventRows(story: {
  events: readonly EventEnvelope<object>[]
  deliveries: Delivery[] | string
}): Row[] {
  const { events, deliveries } = story
  if (events.length === 0) return [row('event', ['none yet'])]
  return events.map(({ id, type, created }) => {
    const own =
      typeof deliveries === 'string' ? [] : deliveries.filter((each) => each.event_id === id)
    const sent = own.map(
      (each) =>
        'webhook to ' +
        each.endpoint_id +
        ' ' +
        each.state +
        ', ' +
        each.attempts.length +
        ' attempts',
    )
    return row('event', [
      id + ' ' + type + ' at ' + isoInstant(created * 1000),
      ...(typeof deliveries === 'string' ? ['deliveries ' + deliveries] : sent),
    ])
  })
}

export function row(step: string, lines: string[]): Row {
  return { atUs: null, step, lines }
}

export function textOf(rows: readonly Row[], style: Style): string {
  return rows.map((each) => rowText(each, style)).join('')
}

export function usd(cents: number): string {
  return money({ amount: cents, currency: 'USD', exponent: 2 })
}
