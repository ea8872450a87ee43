// Commands for the people of a tenant, who approve calls that a key alone may not make.
import type { Command } from './caller.ts'
import { factorMade, fields, personMade, table } from './show.ts'

const TENANTS = '/operator/v1/tenants'
const PEOPLE = '/operator/v1/people'

function option(about: string, required = false) {
  return { kind: 'text', required, about } as const
}

function tell(verb: 'disable' | 'enable' | 'reset_factor'): Command['run'] {
  return (call, id) => call.send('POST', PEOPLE + '/' + id + '/' + verb)
}

export const PEOPLE_COMMANDS: readonly Command[] = [
  {
    words: 'people add',
    names: 'TENANT',
    about: 'Adds a person who approves the calls that a key alone may not make.',
    fields: {
      email: option('email address', true),
      name: option('name', true),
      role: option('owner, admin or member (default: owner)'),
    },
    run: (call, id, given) => call.send('POST', TENANTS + '/' + id + '/people', given),
    show: personMade,
  },
  {
    words: 'people list',
    names: 'TENANT',
    about: 'People of a tenant, newest first.',
    fields: {
      status: option('active or disabled'),
      role: option('owner, admin or member'),
    },
    run: (call, id, given) => call.list(TENANTS + '/' + id + '/people', given),
    show: (answer) => table(answer, ['id', 'email', 'name', 'role', 'status', 'created']),
  },
  {
    words: 'people change',
    names: 'PERSON',
    about: 'Changes the name of a person and the address for signing in.',
    fields: { email: option('new email address'), name: option('new name') },
    run: (call, id, given) => call.send('PATCH', PEOPLE + '/' + id, given),
    show: fields,
  },
  {
    words: 'people disable',
    names: 'PERSON',
    about: 'Suspends a person, who approves nothing any more; the last owner of a tenant stays.',
    fields: {},
    run: tell('disable'),
    show: fields,
  },
  {
    words: 'people enable',
    names: 'PERSON',
    about: 'Resumes a person, with the password and the second factor of before.',
    fields: {},
    run: tell('enable'),
    show: fields,
  },
  {
    words: 'people reset-factor',
    names: 'PERSON',
    about: 'Replaces the second factor of a person and prints the new one, this once.',
    fields: {},
    run: tell('reset_factor'),
    show: factorMade,
  },
]
