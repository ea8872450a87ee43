// Disputes: what is due first?
import type { Dispute } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import { list } from '../list.ts'
import { type AnswerOf, action, call, page, type Visit } from '../page.ts'
import { facts, ifAny, ownFacts } from '../parts/facts.ts'
import { area, confirmed, form, select } from '../parts/form.ts'
import { idLink } from '../parts/id.ts'
import { distance, moment, seconds, UTC } from '../parts/moment.ts'
import { money, moneyText } from '../parts/money.ts'
import { namesOf } from '../parts/names.ts'
import { none, panel, section } from '../parts/panel.ts'
import { tag, wordsOf } from '../parts/tag.ts'

/** By the deadline, the next one first. */
const DUE = { status: 'needs_response', sort: 'evidence_due_by', order: 'asc' } as const
const DUE_SHOWN = 5

/** The disputes that are due next. */
export const dueNext = call('listDisputes', { ...DUE, limit: DUE_SHOWN })

/** Disputes that wait for evidence, with the time that is left for each. */
export function dueList(at: Visit, { data }: AnswerOf<'listDisputes'>): Html {
  if (data.length === 0)
    return none(
      at,
      'None is due. A dispute is opened for a captured transaction.',
      call('createDispute', { transaction_id: 'txn_…', reason: 'not_received' }),
    )
  return html`<ul class="bars">${data.map(
    ({ id, reason, evidence_due_by: due, amount_cents: amount, currency }) =>
      html`<li><a href="${url(at.to('/disputes/' + id))}">${wordsOf(reason)}, ${moneyText(amount, currency)}</a><span class="num">${distance(Date.parse(due), at.now)}</span></li>`,
  )}</ul>`
}

export const disputes = list({
  path: '/disputes',
  title: 'Disputes',
  menu: { group: 'Issuing', label: 'Disputes' },
  operation: 'listDisputes',
  // Deadlines order what is due; of all others the newest come first.
  input: (at) => (at.query.get('status') === DUE.status ? DUE : {}),
  filters: [
    {
      name: 'status',
      label: 'Status',
      options: ['needs_response', 'submitted', 'won', 'lost', 'expired'],
    },
    {
      name: 'reason',
      label: 'Reason',
      options: [
        'fraudulent',
        'not_received',
        'duplicate',
        'product_unacceptable',
        'credit_not_processed',
        'canceled',
        'other',
      ],
    },
    { name: 'card_id', label: 'Card id' },
    { name: 'external_id', label: 'External id' },
  ],
  columns: [
    { label: 'Reason', cell: ({ reason }) => wordsOf(reason) },
    { label: 'Status', cell: ({ status }) => tag(status) },
    {
      label: 'Due',
      cell: ({ evidence_due_by: due, status }, at) =>
        status === 'needs_response'
          ? html`<strong>${distance(Date.parse(due), at.now)}</strong>`
          : moment(due),
      text: ({ evidence_due_by: due }) => due,
    },
    {
      label: 'Amount',
      isNumber: true,
      cell: ({ amount_cents: amount, currency }) => money(amount, currency),
    },
    { label: 'Evidence', isNumber: true, cell: ({ evidence_count: count }) => count },
    { label: 'Transaction', cell: ({ transaction_id: id }, at) => idLink(at, id) },
  ],
  href: ({ id }) => '/disputes/' + id,
  async above(at) {
    // A chosen filter or a further page is about other rows.
    if (at.query.size > 0) return null
    const { due } = await at.ask({ due: dueNext })
    return due.ok && due.value.data.length === 0
      ? null
      : panel('Due next', due, (listed) => dueList(at, listed))
  },
  empty: 'No cardholder contests a charge. A dispute is opened for a captured transaction.',
  begin: () => ({
    ...{ path: '/transactions?status=captured', label: 'See captured transactions' },
    operation: 'listCardTransactions',
  }),
})

export const dispute = page({
  path: '/disputes/:id',
  title: 'Dispute',
  operations: ['getDispute', 'listDisputeEvidence', 'getCardTransaction'],
  async view(at) {
    const id = at.params['id'] ?? ''
    const [of, { evidence }] = await Promise.all([
      at.need(call('getDispute', { id })),
      at.ask({ evidence: call('listDisputeEvidence', { id, limit: 50 }) }),
    ])
    const named = await namesOf(at, [of.card_id, of.cardholder_id])
    const content = html`<header class="head"><h1>Dispute: ${wordsOf(of.reason)}, ${moneyText(of.amount_cents, of.currency)}</h1>${tag(of.status)}<span class="actions">${submit(at, of)}</span><p>due ${distance(Date.parse(of.evidence_due_by), at.now)}, ${moment(of.evidence_due_by)}${UTC} · <code>${of.id}</code></p></header>
<div class="grid">${section(
      'Details',
      facts([
        ['Transaction', idLink(at, of.transaction_id)],
        ['Card', named(of.card_id)],
        ['Cardholder', named(of.cardholder_id)],
        ['Explanation', of.explanation],
        ['The bank asks for', of.evidence_requested],
        ...ifAny('Submitted', of.submitted_at === null ? null : moment(of.submitted_at)),
        ...ifAny('Decided', of.resolved_at === null ? null : moment(of.resolved_at)),
        ['Made', seconds(of.created)],
        ...ownFacts(of),
      ]),
    )}
<div class="stack">${panel('Evidence', evidence, ({ data }) =>
      data.length === 0
        ? none(
            at,
            'None yet. The network decides by what is said and shown here.',
            of.status === 'needs_response'
              ? call('createDisputeEvidence', {
                  id,
                  kind: 'statement',
                  text: 'Nothing was delivered.',
                })
              : null,
          )
        : html`<ul class="bars">${data.map(
            (one) =>
              html`<li><span><strong>${wordsOf(one.kind)}</strong> ${one.text ?? ''}</span><span></span><span><small>${Object.entries(
                one.fields,
              )
                .map(([name, value]) => wordsOf(name) + ' ' + value)
                .join(', ')} ${seconds(one.created)}</small></span></li>`,
          )}</ul>`,
    )}${of.status === 'needs_response' && at.may('createDisputeEvidence') ? section('Add evidence', evidenceForm(at)) : null}</div></div>`
    return { title: 'Dispute', content }
  },
})

const KINDS = [
  'statement',
  'receipt',
  'correspondence',
  'shipping',
  'cancellation',
  'credit_promise',
  'other',
]

function evidenceForm(at: Visit): Html {
  const fields = html`${select({ name: 'kind', label: 'Kind', options: KINDS.map((one) => [one, wordsOf(one)] as const) })}${area({ name: 'text', label: 'In words' })}`
  const path = at.to('/disputes/' + (at.params['id'] ?? '') + '/evidence')
  return form({ action: path, fields, button: { label: 'Add' } })
}

function submit(at: Visit, { id, status }: Dispute): Html | null {
  if (status !== 'needs_response' || !at.may('submitDispute')) return null
  return confirmed({
    ...{
      id: 'submit',
      action: at.to('/disputes/' + id + '/submit'),
      button: { label: 'Submit', mood: 'primary' },
    },
    title: 'Submit this dispute?',
    text: 'The network decides with the evidence that is here now.',
  })
}

export const disputeMoves = [
  action({
    path: '/disputes/:id/evidence',
    label: 'Add evidence.',
    operation: 'createDisputeEvidence',
    done: 'The evidence is added.',
    input: (sent, at) => ({
      id: at.params['id'] ?? '',
      kind: sent('kind') as 'other',
      text: sent('text'),
    }),
  }),
  action({
    path: '/disputes/:id/submit',
    label: 'Submit the dispute.',
    operation: 'submitDispute',
    done: 'The dispute is submitted.',
    input: (_sent, at) => ({ id: at.params['id'] ?? '' }),
  }),
]
