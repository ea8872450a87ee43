// What an operator decides about cardholders who may stand on a list.
import type { Document } from './caller.ts'
import type { Command } from './commands.ts'
import { fields, table } from './show.ts'

const ALERTS = '/operator/v1/sanctions_alerts'
const NOTE = { kind: 'text', required: false, about: 'why; only operators read it' } as const

function filter(about: string) {
  return { kind: 'text', required: false, about } as const
}

function review(decision: 'dismiss' | 'confirm'): Command['run'] {
  return (call, id, given) =>
    call.send('POST', ALERTS + '/' + id + '/review', { ...given, decision })
}

function hitsOf(alert: Document): readonly Document[] {
  return alert['hits'] as readonly Document[]
}

/** With an entry of a list a line: whom the cardholder has to be compared with. */
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

export const SCREENING_COMMANDS: readonly Command[] = [
  {
    words: 'alerts list',
    names: null,
    about: 'Cardholders who may stand on a sanctions or PEP list, newest first.',
    fields: {
      status: filter('open, dismissed or confirmed'),
      'tenant-id': filter('of one tenant'),
      'cardholder-id': filter('of one cardholder'),
    },
    run: (call, _id, given) => call.list(ALERTS, given),
    show: alertLines,
  },
  {
    words: 'alerts dismiss',
    names: 'ALERT',
    about: 'It is somebody else: the last one that is dismissed unfreezes the cardholder.',
    fields: { note: NOTE },
    run: review('dismiss'),
    show: alertShown,
  },
  {
    words: 'alerts confirm',
    names: 'ALERT',
    about: 'It is the person on the list: the cardholder stays frozen for good.',
    fields: { note: NOTE },
    run: review('confirm'),
    show: alertShown,
  },
]
