// Commands with which an operator decides about cardholders: their identity, hits on sanctions
// lists, freezes.
import type { Command, Document } from './caller.ts'
import { fields, table } from './show.ts'

const CARDHOLDERS = '/operator/v1/cardholders'
const ALERTS = '/operator/v1/sanctions_alerts'

function option(about: string) {
  return { kind: 'text', required: false, about } as const
}

function change(verb: 'kyc' | 'freeze' | 'unfreeze'): Command['run'] {
  return (call, id, given) => call.send('POST', CARDHOLDERS + '/' + id + '/' + verb, given)
}

function review(decision: 'dismiss' | 'confirm'): Command['run'] {
  return (call, id, given) =>
    call.send('POST', ALERTS + '/' + id + '/review', { ...given, decision })
}

function hitsOf(alert: Document): readonly Document[] {
  return alert['hits'] as readonly Document[]
}

/** A match, with a line for each list entry that has to be compared with the cardholder. */
function alertShown(alert: Document): string {
  const { hits: _apart, ...rest } = alert
  const names = ['score', 'name', 'program', 'listed_id', 'reasons']
  return fields(rest) + '\n\n' + table({ data: hitsOf(alert) }, names)
}

/** With the best hit of each. */
function alertLines(answer: Document): string {
  const alerts = answer['data'] as readonly Document[]
  const rows = alerts.map((alert) => ({ ...hitsOf(alert)[0], ...alert }))
  const names = [
    'id',
    'tenant_id',
    'cardholder_id',
    'status',
    'created',
    'score',
    'name',
    'program',
  ]
  return table({ data: rows }, names)
}

export const CARDHOLDER_COMMANDS: readonly Command[] = [
  {
    words: 'cardholders kyc',
    names: 'CARDHOLDER',
    about: 'Decides about an identity in the provider’s place.',
    fields: {
      decision: { kind: 'text', required: true, about: 'approved or rejected' },
      reason: option('reason'),
    },
    run: change('kyc'),
    show: fields,
  },
  {
    words: 'cardholders freeze',
    names: 'CARDHOLDER',
    about: 'Freezes a cardholder; the tenant cannot lift this freeze.',
    fields: { reason: option('reason; the tenant reads it') },
    run: change('freeze'),
    show: fields,
  },
  {
    words: 'cardholders unfreeze',
    names: 'CARDHOLDER',
    about: 'Lifts an operator’s freeze.',
    fields: {},
    run: change('unfreeze'),
    show: fields,
  },
  {
    words: 'alerts list',
    names: null,
    about: 'Possible matches of cardholders with a sanctions or PEP list, newest first.',
    fields: {
      status: option('open, dismissed or confirmed'),
      'tenant-id': option('only those of this tenant'),
      'cardholder-id': option('only those of this cardholder'),
    },
    run: (call, _id, given) => call.list(ALERTS, given),
    show: alertLines,
  },
  {
    words: 'alerts dismiss',
    names: 'ALERT',
    about: 'Dismisses a match as another person; dismissing the last one unfreezes the cardholder.',
    fields: { note: option('reason; only operators read it') },
    run: review('dismiss'),
    show: alertShown,
  },
  {
    words: 'alerts confirm',
    names: 'ALERT',
    about: 'Confirms a match; the cardholder stays frozen for good.',
    fields: { note: option('reason; only operators read it') },
    run: review('confirm'),
    show: alertShown,
  },
]
