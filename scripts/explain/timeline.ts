// A transaction as text: every message about it, the decisions, the effects and the events sent to
// tenants. Pure.
import { isoInstant } from '../../shared/clock.ts'
import { currencyExponent } from '../../shared/money.ts'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import type { CardTransactionMessage } from '../../shared/schemas/card-transaction-message.ts'
import { traceOfTransaction } from '../../shared/trace-id.ts'
import { decisionRows, messageRow } from './authorization-request.ts'
import type { TransactionEvent, TransactionStory } from './story.ts'
import type { Style } from './style.ts'
import { money, printable, type Row, rowText } from './text.ts'

/** The whole text, ending in a newline. */
export function timeline(story: TransactionStory, style: Style): string {
  const parts = story.messages.map((message) => messageRows(story, message, style))
  const texts = parts.map((rows) => rows.map((row) => rowText(row, style)).join(''))
  return heading(story, style) + '\n' + texts.join('\n')
}

function heading({ transaction, events }: TransactionStory, style: Style): string {
  const { merchant, status, decline_reason: reason } = transaction
  const flags = transaction.flags.filter((flag) => flag !== status)
  const declined = status === 'declined'
  const verdict = declined && reason !== null ? status + ': ' + reason : status
  // The original amounts: an increment changes the current ones.
  const { amounts } = events[0]?.data.transaction ?? transaction
  return [
    style.strong(transaction.id) +
      '  ' +
      (declined ? style.bad(verdict) : style.good(verdict)) +
      (flags.length === 0 ? '' : '  ' + flags.join(', ')),
    money(amounts.merchant) +
      ' at ' +
      printable(merchant.name) +
      ' (' +
      [merchant.mcc, printable(merchant.city), merchant.country].filter(Boolean).join(', ') +
      ')',
    sumsLine(transaction),
    'trace ' + traceOfTransaction(transaction.id),
    '',
  ].join('\n')
}

function sumsLine({ sums, currency }: CardTransaction): string {
  const { open_hold_cents: held, captured_cents: captured, refunded_cents: refunded } = sums
  const text = (cents: number): string => inCurrency(cents, currency)
  return 'held ' + text(held) + ', captured ' + text(captured) + ', refunded ' + text(refunded)
}

function inCurrency(amount: number, currency: string): string {
  return money({ amount, currency, exponent: currencyExponent(currency) })
}

/** A message, its effect and its event. */
function messageRows(
  story: TransactionStory,
  message: CardTransactionMessage,
  style: Style,
): Row[] {
  const { sequence, decision } = message
  const event = story.events.find(({ data }) => data.transaction.sequence === sequence) ?? null
  const transaction = event?.data.transaction ?? story.transaction
  const journal = journalLines(story.journal, message)
  const asked = transaction.authorization_request.id === message.authorization_request_id
  const rows =
    asked && decision !== null
      ? [messageRow(transaction), ...decisionRows(transaction, decision, journal, style)]
      : configRows(message, transaction, journal)
  return [...rows, ...eventRows(story, event)]
}

/**
 * A notification of the network, or an expired hold: no tenant was asked, so there is nothing to
 * trace.
 */
function configRows(
  message: CardTransactionMessage,
  transaction: CardTransaction,
  journal: string[],
): Row[] {
  const { kind, amount_cents: cents, created, status, flags, message: sent } = message
  const from =
    sent === null
      ? 'the hold ran out'
      : printable(sent.id) + ' from ' + sent.network + ', ' + sent.mti
  return [
    {
      atUs: null,
      step: kind.replaceAll('_', ' '),
      lines: [
        from + ', at ' + isoInstant(created * 1000),
        inCurrency(cents, transaction.currency) + ', now ' + [status, ...flags].join(', '),
        sumsLine({ ...transaction, sums: message.sums }),
      ],
    },
    { atUs: null, step: 'journal', lines: journal },
  ]
}

function journalLines(
  journal: TransactionStory['journal'],
  { sequence, decision }: CardTransactionMessage,
): string[] {
  if (typeof journal === 'string') return [journal]
  const late = decision?.webhook?.late_answer ?? null
  const entries = journal.filter((entry) =>
    entry.sequence === null ? late !== null : entry.sequence === sequence,
  )
  if (entries.length === 0) return ['entry drained and recycled']
  return entries.map(
    ({ kind, seq, journal_id: id, bytes }) =>
      kind + ' entry ' + seq + ' of ' + id + ', ' + bytes + ' bytes',
  )
}

function eventRows(story: TransactionStory, event: TransactionEvent | null): Row[] {
  if (event === null) return [{ atUs: null, step: 'event', lines: ['none yet'] }]
  const told = event.id + ' ' + event.type + ', API version ' + event.api_version
  return [{ atUs: null, step: 'event', lines: [told, ...deliveryLines(story, event)] }]
}

function deliveryLines({ deliveries }: TransactionStory, event: TransactionEvent): string[] {
  if (typeof deliveries === 'string') return [deliveries]
  const own = deliveries.filter((delivery) => delivery.event_id === event.id)
  if (own.length === 0) return ['no endpoint was told']
  return own.map(({ endpoint_id: endpoint, state, attempts }) => {
    const tries = attempts.map(
      ({ n, status, error, duration_ms: ms }) =>
        '#' +
        n +
        ' ' +
        (status === null ? (error ?? 'no answer') : 'HTTP ' + status) +
        ' in ' +
        ms +
        ' ms',
    )
    return (
      'webhook to ' + endpoint + ' ' + state + (tries.length === 0 ? '' : ': ' + tries.join(', '))
    )
  })
}
