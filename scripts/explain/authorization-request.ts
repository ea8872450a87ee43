// An authorization request and its decision as rows: the message, the inputs of each step, the
// conclusion. The rows follow the order of the authorization line.
import { isoInstant } from '../../shared/clock.ts'
import type { CardTransaction } from '../../shared/schemas/card-transaction.ts'
import type { Style } from './style.ts'
import { money, printable, type Row } from './text.ts'

export type Decision = NonNullable<CardTransaction['decision']>

/** The network's message. */
export function messageRow(transaction: CardTransaction): Row {
  const { message, entry, verification, card } = transaction
  return {
    atUs: 0,
    step: 'message',
    lines: [
      printable(message.id) + ' from ' + message.network + ', sent ' + message.transmitted_at,
      requestLine(transaction),
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

/** `initial of 1000 JPY, 6.50 USD at 0.0065`. */
function requestLine({ authorization_request: request, amounts }: CardTransaction): string {
  const { merchant, cardholder, fx } = amounts
  const converted = fx === null ? '' : ', ' + money(cardholder) + ' at ' + fx.rate
  return request.kind + ' of ' + money(merchant) + converted
}

/**
 * The result of each step of the authorization line. `transaction` is its state right afterwards.
 */
export function decisionRows(
  transaction: CardTransaction,
  decision: Decision,
  journal: string[],
  style: Style,
): Row[] {
  const us = decision.timings_us
  let at = 0
  // Steps are measured one by one: their sum may be a little more than the whole.
  const after = (...durations: number[]): number => {
    for (const duration of durations) at += duration
    return Math.min(at, us.total)
  }
  const rows: Row[] = [
    { atUs: after(us.parse), step: 'decode', lines: ['signature and content verified'] },
    { atUs: after(us.recall), step: 'recall', lines: ['no earlier answer to this message'] },
    { atUs: after(us.state_read), step: 'gather', lines: configLines(transaction, decision) },
    { atUs: after(us.controls), step: 'judge', lines: ruleLines(decision, style) },
    { atUs: after(us.reserve), step: 'reserve', lines: [reserveLine(transaction, decision)] },
  ]
  const asked = after(us.sign, us.connect, us.tenant_wait)
  if (decision.webhook !== null)
    rows.push({ atUs: asked, step: 'ask', lines: tenantLines(decision.webhook) })
  rows.push(
    {
      atUs: after(us.finalize),
      step: 'conclude',
      lines: verdictLines(transaction, decision, style),
    },
    { atUs: us.total, step: 'answer', lines: [...journal, builtBy(decision)] },
    ...lateRows(decision.webhook?.late_answer ?? null),
  )
  return rows
}

function configLines(transaction: CardTransaction, decision: Decision): string[] {
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
  return decision.webhook === null ? 'nothing: declined before' : 'a hold while the tenant is asked'
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
  return ['endpoint ' + (webhook.endpoint_id ?? 'none') + ': ' + call.join(', ')]
}

type LateAnswer = NonNullable<Decision['webhook']>['late_answer']

/** The tenant's answer that came after the decision: it changes nothing. */
function lateRows(late: LateAnswer): Row[] {
  if (late === null) return []
  const { outcome, late_answer_ms: ms, disagrees } = late
  const line =
    outcome + ' after ' + ms + ' ms' + (disagrees ? ', which disagrees with the answer given' : '')
  return [{ atUs: ms * 1000, step: 'tenant', lines: [line] }]
}

function verdictLines(transaction: CardTransaction, decision: Decision, style: Style): string[] {
  const words = decision.approved
    ? style.good('approved') +
      ' ' +
      money({ ...transaction.amounts.cardholder, amount: decision.approved_amount_cents }) +
      ', authorization code ' +
      decision.authorization_code
    : style.bad('declined') + ' ' + (decision.decline_reason ?? '')
  const lines = [words + ', response code ' + decision.response_code]
  if (!decision.approved && decision.webhook !== null) lines.push('the hold was released')
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

function builtBy(decision: Decision): string {
  return 'synced before the answer left, by ' + decision.config.engine_build
}
