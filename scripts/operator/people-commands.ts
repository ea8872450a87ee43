// Commands for the people of a tenant, who approve calls that a key alone may not make.
import type { Command } from './commands.ts'
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
    about: 'Gives it a person who approves what its keys alone may not do.',
    fields: {
      email: option('their address', true),
      name: option('who they are', true),
      role: option('owner, admin or member; owner when not given'),
    },
    run: (call, id, given) => call.send('POST', TENANTS + '/' + id + '/people', given),
    show: personMade,
  },
  {
    words: 'people list',
    names: 'TENANT',
    about: 'Its people, newest first.',
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
    about: 'Changes what they are called and the address they sign in with.',
    fields: { email: option('their new address'), name: option('their new name') },
    run: (call, id, given) => call.send('PATCH', PEOPLE + '/' + id, given),
    show: fields,
  },
  {
    words: 'people disable',
    names: 'PERSON',
    about: 'They approve nothing any more; the last owner of a tenant stays.',
    fields: {},
    run: tell('disable'),
    show: fields,
  },
  {
    words: 'people enable',
    names: 'PERSON',
    about: 'They approve again, with what they had.',
    fields: {},
    run: tell('enable'),
    show: fields,
  },
  {
    words: 'people reset-factor',
    names: 'PERSON',
    about: 'Gives them another second factor, printed this once; the one of before ends.',
    fields: {},
    run: tell('reset_factor'),
    show: factorMade,
  },
]
