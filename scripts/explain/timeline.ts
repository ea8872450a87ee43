// A transaction as text: when each step ran, what it saw, what it concluded. Pure; the order is the line's own.
import { isoInstant } from '../../shared/clock.ts'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import type { EventEnvelope } from '../../shared/schemas/event.ts'
import type { TransactionStory } from './story.ts'
import type { Style } from './style.ts'

type Decision = NonNullable<CardTransaction['decision']>

interface Row {
  /** Microseconds after receipt; null where the row has no moment of its own. */
  atUs: number | null
  step: string
  lines: string[]
}

/** The whole text, ending in a newline. */
export function timeline(story: TransactionStory, style: Style): string {
  const { transaction, events } = story
  const { decision } = transaction
  const rows = [
    messageRow(transaction),
    ...(decision === null ? [] : decisionRows(story, decision, style)),
  ]
  for (const event of events) rows.push(eventRow(event))
  if (events.length === 0) rows.push({ atUs: null, step: 'event', lines: ['none yet'] })
  return heading(transaction, style) + '\n' + rows.map((row) => rowText(row, style)).join('')
}

function heading(transaction: CardTransaction, style: Style): string {
  const { merchant, status, decline_reason: reason } = transaction
  const verdict = status + (reason === null ? '' : ': ' + reason)
  return [
    style.strong(transaction.id) +
      '  ' +
      (status === 'authorized' ? style.good(verdict) : style.bad(verdict)),
    money(transaction.amounts.merchant) +
      ' at ' +
      printable(merchant.name) +
      ' (' +
      [merchant.mcc, printable(merchant.city), merchant.country].filter(Boolean).join(', ') +
      ')',
    '',
  ].join('\n')
}

function messageRow(transaction: CardTransaction): Row {
  const { message, entry, verification, card } = transaction
  return {
    atUs: 0,
    step: 'message',
    lines: [
      printable(message.id) + ' from ' + message.network + ', sent ' + message.transmitted_at,
      'card ' +
        card.id +
        ' …' +
        card.last4 +
        ', ' +
        entry.method +
        ', expiry ' +
        verification.expiry +
        ', cvc ' +
        verification.cvc,
    ],
  }
}

function decisionRows(story: TransactionStory, decision: Decision, style: Style): Row[] {
  const { transaction, journal } = story
  const us = decision.timings_us
  let at = 0
  const after = (...durations: number[]): number => {
    for (const duration of durations) at += duration
    return at
  }
  const rows: Row[] = [
    { atUs: after(us.parse), step: 'decode', lines: ['signature and content verified'] },
    { atUs: after(us.recall), step: 'recall', lines: ['no earlier answer to this message'] },
    { atUs: after(us.state_read), step: 'facts', lines: factLines(transaction, decision) },
    { atUs: after(us.controls), step: 'rules', lines: ruleLines(decision, style) },
    { atUs: after(us.reserve), step: 'reserve', lines: [reserveLine(transaction, decision)] },
  ]
  const asked = after(us.sign, us.connect, us.tenant_wait)
  if (decision.webhook !== null)
    rows.push({ atUs: asked, step: 'tenant', lines: tenantLines(decision.webhook) })
  rows.push(
    {
      atUs: after(us.finalize),
      step: 'decision',
      lines: verdictLines(transaction, decision, style),
    },
    { atUs: us.total, step: 'journal', lines: journalLines(journal, decision) },
  )
  return rows
}

function factLines(transaction: CardTransaction, decision: Decision): string[] {
  const { program, cardholder, card } = transaction
  const { controls_version: controls } = decision.config
  return [
    'program ' + program.id + ' version ' + program.state_version,
    'cardholder ' +
      cardholder.id +
      ' ' +
      cardholder.status +
      ', version ' +
      cardholder.state_version,
    'card ' + card.id + ' ' + card.status + ', version ' + card.state_version,
    'controls of program ' +
      versionText(controls.program) +
      ', cardholder ' +
      versionText(controls.cardholder) +
      ', card ' +
      versionText(controls.card),
  ]
}

function versionText(version: number): string {
  return version === 0 ? 'none' : 'version ' + version
}

function ruleLines(decision: Decision, style: Style): string[] {
  if (decision.trace.length === 0) return ['none judged']
  return decision.trace.map((step) => {
    const inputs = Object.entries(step.inputs)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => name + ' ' + inputText(name, value))
    const mark = step.verdict === 'pass' ? style.good('✓') : style.bad('✗')
    return (
      mark +
      ' ' +
      (step.rule_id + ' v' + step.rule_version).padEnd(30) +
      style.faint(inputs.join(', '))
    )
  })
}

/** Windows are recorded as milliseconds since the epoch. */
function inputText(name: string, value: unknown): string {
  const moment = name.startsWith('window_') && typeof value === 'number'
  return moment ? isoInstant(value) : printable(String(value))
}

function reserveLine(transaction: CardTransaction, decision: Decision): string {
  if (decision.approved) return 'hold of ' + money(transaction.amounts.hold)
  return decision.webhook === null ? 'nothing: declined before' : 'the hold was released'
}

function tenantLines(webhook: NonNullable<Decision['webhook']>): string[] {
  const call = [
    webhook.outcome,
    ...(webhook.http_status === null ? [] : ['HTTP ' + webhook.http_status]),
    ...(webhook.latency_ms === null ? [] : ['in ' + webhook.latency_ms + ' ms']),
    ...(webhook.attempts > 1 ? [webhook.attempts + ' attempts'] : []),
    ...(webhook.decline_reason === null ? [] : ['reason ' + printable(webhook.decline_reason)]),
    ...(webhook.error_hint === null ? [] : [printable(webhook.error_hint)]),
    ...(webhook.dropped_fields.length === 0
      ? []
      : ['dropped ' + webhook.dropped_fields.join(', ')]),
  ]
  const lines = ['endpoint ' + (webhook.endpoint_id ?? 'none') + ': ' + call.join(', ')]
  const late = webhook.late_answer
  if (late !== null) {
    lines.push(
      late.outcome +
        ' after ' +
        late.late_answer_ms +
        ' ms' +
        (late.disagrees ? ', which disagrees with the answer given' : ''),
    )
  }
  return lines
}

function verdictLines(transaction: CardTransaction, decision: Decision, style: Style): string[] {
  const words = decision.approved
    ? style.good('approved') +
      ' ' +
      money({ ...transaction.amounts.merchant, amount: decision.approved_amount_cents }) +
      ', authorization code ' +
      decision.authorization_code
    : style.bad('declined') + ' ' + (decision.decline_reason ?? '')
  const lines = [words + ', response code ' + decision.response_code]
  const cause = decision.stand_in_detail?.cause
  lines.push(
    'decided by ' +
      decision.decided_by +
      (decision.stand_in ? ' (stand-in: ' + cause + ')' : '') +
      ' at ' +
      decision.decided_at,
  )
  return lines
}

function journalLines(journal: TransactionStory['journal'], decision: Decision): string[] {
  const build = 'synced before the answer left, by ' + decision.config.engine_build
  if (typeof journal === 'string') return [journal, build]
  if (journal.length === 0) return ['entry drained and recycled', build]
  const entries = journal.map(
    (entry) =>
      entry.kind +
      ' entry ' +
      entry.seq +
      ' of ' +
      entry.journal_id +
      ', ' +
      entry.bytes +
      ' bytes',
  )
  return [...entries, build]
}

function eventRow(event: EventEnvelope): Row {
  return {
    atUs: null,
    step: 'event',
    lines: [event.id + ' ' + event.type + ', API version ' + event.api_version],
  }
}

function rowText(row: Row, style: Style): string {
  const moment = row.atUs === null ? '' : milliseconds(row.atUs)
  return row.lines
    .map((line, index) => {
      const left = index === 0 ? moment.padStart(11) + '  ' + row.step.padEnd(9) : ' '.repeat(22)
      return (index === 0 ? style.faint(left.slice(0, 13)) + left.slice(13) : left) + line + '\n'
    })
    .join('')
}

/** Microseconds as `1.234 ms`. */
function milliseconds(us: number): string {
  return Math.floor(us / 1000) + '.' + String(Math.floor(us % 1000)).padStart(3, '0') + ' ms'
}

/** Minor units as people write them; no arithmetic on fractions. */
function money(amount: { amount: number; currency: string; exponent: number }): string {
  const digits = String(amount.amount).padStart(amount.exponent + 1, '0')
  const whole = digits.slice(0, digits.length - amount.exponent)
  const fraction = digits.slice(digits.length - amount.exponent)
  return whole + (fraction === '' ? '' : '.' + fraction) + ' ' + amount.currency
}

/** Text from outside, without anything a terminal would obey. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}
