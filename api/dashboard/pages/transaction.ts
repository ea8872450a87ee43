// One transaction: why was it declined, what would have let it pass, and what did it cause?
import type {
  CardEvaluation,
  CardTransaction,
  CardTransactionMessage,
  TraceStep,
} from '../../../client/generated.ts'
import type { DeclineReason } from '../../../shared/decline-reason.ts'
import { DECLINE_REFERENCE } from '../../../shared/decline-reference.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { OUTCOME_REFERENCE } from '../../../shared/transaction-reference.ts'
import { action, call, page, type Visit } from '../page.ts'
import { categoryText } from '../parts/category.ts'
import { marked, whole } from '../parts/code.ts'
import { facts } from '../parts/facts.ts'
import { buttonForm } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { moment, seconds, UTC } from '../parts/moment.ts'
import { countText, moneyText } from '../parts/money.ts'
import { type NameOf, namesOf } from '../parts/names.ts'
import { panel, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'
import { causedDeliveries } from './caused.ts'
import { decisionTime } from './decision-time.ts'
import { limitBars } from './limits.ts'
import { traceOf } from './trace.ts'

export const transaction = page({
  path: '/transactions/:id',
  title: 'Transaction',
  operations: [
    ...(['getCardTransaction', 'listCardTransactionMessages', 'listEvents'] as const),
    ...(['listWebhookDeliveries', 'evaluateCard', 'listSpendingControls'] as const),
  ],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { messages, events }] = await Promise.all([
      at.need(call('getCardTransaction', { id })),
      at.ask({
        messages: call('listCardTransactionMessages', { id, order: 'asc', limit: 50 }),
        events: call('listEvents', { resource_id: id, limit: 20 }),
      }),
    ])
    const { decision } = of
    const asked = decision?.webhook?.endpoint_id ?? null
    const named = await namesOf(at, [of.cardholder.id, of.program.id, asked])
    const isDeclined = of.status === 'declined'
    const content = html`${headOf(at, of)}${isDeclined ? explanation(at, of, await controlOf(at, of)) : null}
<div class="grid wide"><div class="stack">
${decision === null ? null : section('Timeline', decisionTime(of, decision))}
${decision === null ? null : section('How it was decided', html`${traceOf(at, decision.trace, of.currency)}${shadows(at, of)}`)}
${section('Limits at that moment', limitBars(at, of.controls_snapshot.limits, of.card.id))}
${panel('Messages of the network', messages, ({ data }) => messageList(data, of.currency))}
${events.ok ? section('Webhooks that it caused', await causedDeliveries(at, events.value.data)) : panel('Webhooks that it caused', events, () => html``)}
</div><div class="stack">
${section('Your answer', tenantAnswer(named, of))}
${section('Details', details(named, of))}
</div></div>
${whole(of, 'The transaction as the API shows it')}`
    return {
      title: (of.merchant.name || of.merchant.id) + ' ' + moneyText(of.amount_cents, of.currency),
      content,
    }
  },
})

function headOf(at: Visit, of: CardTransaction): Html {
  const { merchant, amount_cents: amount, currency, status, created, id } = of
  return html`<header class="head"><h1>${merchant.name || merchant.id}, ${moneyText(amount, currency)}</h1>${tag(status)}<p>${seconds(created)}${UTC} · card ${idLink(at, of.card.id, '…' + of.card.last4)} · <code>${id}</code></p></header>`
}

function explanation(at: Visit, of: CardTransaction, control: string | null): Html {
  const reason = of.decline_reason as DeclineReason | null
  const known = reason === null ? null : DECLINE_REFERENCE[reason]
  const again = at.may('evaluateCard')
    ? buttonForm(at.to('/transactions/' + of.id + '/evaluate'), {
        label: 'Try again now',
        mood: 'primary',
      })
    : null
  const open =
    control === null
      ? html`<a class="button plain" href="${url(at.to('/cards/' + of.card.id))}">Open the card</a>`
      : html`<a class="button plain" href="${url(at.to('/controls/' + control))}">Open the control</a>`
  return section(
    'Why it was declined: ' + wordsOf(reason ?? 'unknown'),
    html`<p>${marked(known?.meaning ?? '')}</p>${detailOf(of)}
<p><strong>What would have let it pass:</strong> ${shortfall(of) ?? marked(known?.remedy ?? 'Ask us with the id of the transaction.')}</p>`,
    html`<span class="actions">${again}${open}</span>`,
  )
}

function detailOf({ decision }: CardTransaction): Html | null {
  if (decision === null) return null
  const { decline_detail: detail, fraud_rule: rule, retry_advice: advice } = decision
  return html`<p class="soft">${detail === null ? null : html`Detail: <code>${detail}</code>. `}${rule === null ? null : html`Fraud rule: ${wordsOf(rule)}. `}${advice === null ? null : html`Another try: ${wordsOf(advice)}.`}</p>`
}

/** The limit that was too small, with its rest; null where no limit declined. */
function shortfall({
  controls_snapshot: { limits },
  decline_reason: reason,
  amount_cents: asked,
}: CardTransaction): Html | null {
  const last = limits.at(-1)
  if (last === undefined || !/limit|count|used_up/.test(reason ?? '')) return null
  const { amount_cents: all, remaining_cents: left, resets_at: resets } = last
  const currency = String(last.currency)
  const rest =
    all === null || left === null
      ? html`${last.remaining_count ?? 0} more authorizations of ${last.count ?? 0}`
      : html`${moneyText(left, currency)} of ${moneyText(all, currency)}; ${moneyText(asked, currency)} was asked`
  return html`the ${wordsOf(String(last.interval))} limit of the ${String(last.scope)} had ${rest}.${resets === null ? null : html` It begins anew ${moment(resets)}${UTC}.`}`
}

/** The control whose rule or limit declined; null where no control of today did. */
async function controlOf(at: Visit, of: CardTransaction): Promise<string | null> {
  const [scope = '', id = ''] = (of.decision?.decline_detail ?? '').split(':')
  if (id.startsWith('ctl_')) return id
  const subjects = new Map([
    ['card', of.card.id],
    ['cardholder', of.cardholder.id],
    ['program', of.program.id],
  ])
  const subject = subjects.get(scope)
  if (!id.startsWith('lim_') || subject === undefined) return null
  // A limit stands in a control of its subject.
  const { bound } = await at.ask({
    bound: call('listSpendingControls', { subject_id: subject, limit: 100 }),
  })
  if (!bound.ok) return null
  const named = bound.value.data.find(({ limits }) => limits.some((limit) => limit.id === id))
  return named?.id ?? null
}

function shadows(at: Visit, { decision }: CardTransaction): Html | null {
  if (decision === null || decision.shadow.length === 0) return null
  return html`<p class="soft">Drafts: ${decision.shadow.map(
    ({ control_id: control, version, approve }) =>
      html`${idLink(at, control)} v${version} would have ${approve ? 'approved' : 'declined'}. `,
  )}</p>`
}

function tenantAnswer(named: NameOf, { decision }: CardTransaction): Html {
  if (decision === null) return html`<p class="soft">You are being asked.</p>`
  const { webhook, stand_in: standIn, stand_in_detail: cause } = decision
  if (webhook === null)
    return html`<p class="soft">You were not asked: ${wordsOf(decision.decided_by)} decided.</p>`
  const late = webhook.late_answer
  return html`${facts([
    [
      'Outcome',
      html`${tag(webhook.outcome)} <small>${marked(OUTCOME_REFERENCE[webhook.outcome].meaning)}</small>`,
    ],
    ['Endpoint', named(webhook.endpoint_id)],
    ['Status', webhook.http_status],
    ['Time', webhook.latency_ms === null ? null : countText(webhook.latency_ms) + ' ms'],
    ['Problem', webhook.error_hint],
    ['Reason you gave', webhook.decline_reason],
  ])}${standIn ? html`<p>Stand-in decided: ${wordsOf(cause?.cause ?? 'you were silent')}.</p>` : null}${
    late === null
      ? null
      : html`<p>Your answer came after ${countText(late.late_answer_ms)} ms, too late: ${wordsOf(late.outcome)}.</p>`
  }`
}

function messageList(messages: readonly CardTransactionMessage[], currency: string): Html {
  return html`<ol class="steps">${messages.map(
    ({ kind, amount_cents: amount, created, status }) =>
      html`<li><span>${seconds(created)}</span><span aria-hidden="true">→</span><span><strong>${wordsOf(kind)}</strong> ${moneyText(amount, currency)} ${tag(status)}</span></li>`,
  )}</ol>`
}

function details(named: NameOf, of: CardTransaction): Html {
  const { merchant, entry, message, decision } = of
  return facts([
    ['Cardholder', named(of.cardholder.id)],
    ['Program', named(of.program.id)],
    ['Merchant id', html`<code>${merchant.id}</code>`],
    ['Category', categoryText(merchant.mcc)],
    ['Place', merchant.city + ', ' + merchant.country],
    ['Entry', wordsOf(entry.method) + (entry.card_present ? ', card present' : ', card absent')],
    ['Network', message.network + ' ' + message.mti],
    ['Response code', decision?.response_code ?? null],
    ['Held now', moneyText(of.sums.open_hold_cents, of.currency)],
    ['Captured', moneyText(of.sums.captured_cents, of.currency)],
    ['Refunded', moneyText(of.sums.refunded_cents, of.currency)],
  ])
}

export const tryAgain = action({
  path: '/transactions/:id/evaluate',
  label: 'Evaluate the same authorization again.',
  operation: 'evaluateCard',
  done: '',
  async input(_form, at) {
    const of = await at.need(call('getCardTransaction', { id: at.params['id'] ?? '' }))
    const { merchant, entry } = of
    return {
      id: of.card.id,
      amount_cents: of.amounts.merchant.amount,
      currency: of.amounts.merchant.currency,
      merchant: {
        id: merchant.id,
        name: merchant.name,
        mcc: merchant.mcc,
        city: merchant.city,
        country: merchant.country,
      },
      entry_method: entry.method,
      initiator: entry.initiator,
      recurring: entry.recurring,
      partial_approval_capable: of.partial_approval_capable,
    }
  },
  shown: (answer, at) => evaluated(at, answer as CardEvaluation),
})

function evaluated(at: Visit, of: CardEvaluation): { title: string; content: Html } {
  const back = at.to('/transactions/' + (at.params['id'] ?? ''))
  const reason = of.decline_reason as DeclineReason | null
  return {
    title: 'The same authorization now',
    content: html`<header class="head"><h1>The same authorization now</h1>${tag(of.approved ? 'approved' : 'declined')}<p>Nothing was sent, held or counted. <a href="${url(back)}">Back to the transaction</a></p></header>
${section(
  of.approved ? 'It would be approved' : 'It would be declined: ' + wordsOf(reason ?? ''),
  html`${reason === null ? null : html`<p>${marked(DECLINE_REFERENCE[reason]?.remedy ?? '')}</p>`}${facts(
    [
      ['At most', moneyText(of.max_approvable_amount_cents, of.currency)],
      ['You would be asked', of.would_ask ? 'yes' : 'no'],
      ['Response code', of.response_code],
    ],
  )}`,
)}
${section('Every rule', traceOf(at, of.trace as readonly TraceStep[], of.currency))}`,
  }
}
