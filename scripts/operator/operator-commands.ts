// Commands about operators, and about their calls that need a second operator.
import { systemClock, unixSeconds } from '../../shared/clock.ts'
import type { Command, Document } from './caller.ts'
import { fields, operatorMade, table } from './show.ts'

const OPERATORS = '/operator/v1/operators'

function needs(about: string) {
  return { kind: 'text', required: true, about } as const
}

function takes(about: string, kind: 'text' | 'number' = 'text') {
  return { kind, required: false, about }
}

function sendTo(path: (id: string) => string): Command['run'] {
  return (call, id, given) => call.send('POST', path(id), given)
}

const LAST_PERSON = {
  'confirm-last-person': takes('yes goes on although no operator keeps a person with a passkey'),
}

/** As `sendTo`; a word of confirmation becomes the field of the API. */
function confirmsTo(path: (id: string) => string): Command['run'] {
  return (call, id, { confirm_last_person: word, ...given }) =>
    call.send('POST', path(id), { ...given, ...(word === 'yes' && { confirm_last_person: true }) })
}

const APPROVALS = '/operator/v1/operator_approvals'
const DAY_ENDS =
  'it ends with that UTC day, and a call that was approved is repeated on the day of the first'

const DAY_S = 86_400

/**
 * The end and the addresses of a credential as fields of the API. Chosen: the end is that of its
 * UTC day, because the call that a second operator approved is made again with the same body.
 */
function boundsOf({ days, cidrs, ...others }: Document): Document {
  const today = Math.floor(unixSeconds(systemClock.nowMs()) / DAY_S)
  const end = typeof days === 'number' ? (today + days + 1) * DAY_S : null
  const ranges = typeof cidrs === 'string' ? cidrs.split(',').filter((range) => range !== '') : null
  return {
    ...others,
    ...(end !== null && { expires_at: end }),
    ...(ranges !== null && { cidrs: ranges }),
  }
}

const APPROVAL_COMMANDS: readonly Command[] = [
  {
    words: 'approvals list',
    names: null,
    about: 'Calls of operators that need a second operator, newest first.',
    fields: { 'operator-id': takes('only those of this operator') },
    run: (call, _id, given) => call.list(APPROVALS, given),
    show: (answer) =>
      table(answer, ['id', 'status', 'operator_name', 'operation', 'path', 'expires_at']),
  },
  {
    words: 'approvals show',
    names: 'APPROVAL',
    about: 'A call that needs a second operator, with the fields of its body.',
    fields: {},
    run: (call, id) => call.read(APPROVALS + '/' + id),
    show: fields,
  },
  {
    words: 'approvals approve',
    names: 'APPROVAL',
    about: 'Approves the call of another operator, who then makes it again.',
    fields: {},
    run: sendTo((id) => APPROVALS + '/' + id + '/approve'),
    show: fields,
  },
  {
    words: 'approvals deny',
    names: 'APPROVAL',
    about: 'Denies the call of another operator, or takes back an approval before its use.',
    fields: {},
    run: sendTo((id) => APPROVALS + '/' + id + '/deny'),
    show: fields,
  },
]

export const OPERATOR_COMMANDS: readonly Command[] = [
  {
    words: 'operators list',
    names: null,
    about: 'Operators of the installation.',
    fields: {},
    run: (call) => call.list(OPERATORS, {}),
    show: (answer) => table(answer, ['id', 'name', 'status', 'last4', 'created', 'expires_at']),
  },
  {
    words: 'operators create',
    names: null,
    about: 'Makes another operator and prints the credential, this once.',
    fields: {
      name: needs('name of the operator'),
      scope: takes('what it may call: all (default), read, or rates'),
      days: takes('days until the credential ends (default: 365); ' + DAY_ENDS, 'number'),
      cidrs: takes('address ranges it works from, with commas between them'),
    },
    run: (call, _id, given) => call.send('POST', OPERATORS, boundsOf(given)),
    show: operatorMade,
  },
  {
    words: 'operators bound',
    names: 'OPERATOR',
    about: 'Changes the end of the credential of an operator, and the addresses it works from.',
    fields: {
      days: takes('days from now until it ends; ' + DAY_ENDS, 'number'),
      cidrs: takes('address ranges it works from, with commas between them; empty: every address'),
    },
    run: (call, id, given) => call.send('PATCH', OPERATORS + '/' + id, boundsOf(given)),
    show: fields,
  },
  {
    words: 'operators link',
    names: 'OPERATOR',
    about: 'Names the person of an operator, who works under /operator with a passkey.',
    fields: { email: needs('proved address of the person'), ...LAST_PERSON },
    run: confirmsTo((id) => OPERATORS + '/' + id + '/link'),
    show: fields,
  },
  {
    words: 'operators revoke',
    names: 'OPERATOR',
    about: 'Revokes the credential of another operator.',
    fields: LAST_PERSON,
    run: confirmsTo((id) => OPERATORS + '/' + id + '/revoke'),
    show: fields,
  },
  ...APPROVAL_COMMANDS,
]
