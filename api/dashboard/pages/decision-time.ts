// One decision in its time: received, judged, asked and answered, each so long after the message
// came.
import type { CardTransaction } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { countText } from '../parts/money.ts'
import { tag, wordsOf } from '../parts/tag.ts'

type Decision = NonNullable<CardTransaction['decision']>

const MS = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Microseconds as `+0.61 ms`. */
function after(us: number): string {
  return '+' + MS.format(us / 1000) + ' ms'
}

/** The stages of the decision in their order. */
export function decisionTime(of: CardTransaction, decision: Decision): Html {
  const { timings_us: us, trace, webhook, response_code: code } = decision
  const waitedUs = us.tenant_wait
  const judged = us.parse + us.recall + us.state_read + us.controls
  const reserved = judged + us.reserve
  const { network, mti } = of.message
  const stages: (readonly [us: number, words: Html | string])[] = [
    [0, 'received from ' + network + ', message ' + mti],
    [judged, 'judged by ' + countText(trace.length) + (trace.length === 1 ? ' rule' : ' rules')],
    ...(webhook === null || waitedUs === 0
      ? []
      : [
          // Signing and connecting are a part of the wait.
          [reserved + us.sign + us.connect, 'you were asked'] as const,
          [reserved + waitedUs, html`your answer: ${wordsOf(webhook.outcome)}`] as const,
        ]),
    [
      us.total,
      html`answered ${tag(decision.approved ? 'approved' : 'declined')} with code ${code}`,
    ],
  ]
  return html`<ol class="steps">${stages.map(
    ([at, words]) =>
      html`<li><span class="num">${after(at)}</span><span aria-hidden="true">→</span><span>${words}</span></li>`,
  )}</ol>`
}
