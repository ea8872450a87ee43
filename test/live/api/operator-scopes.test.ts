// Scopes of operators' credentials, over every route of operators.
import { test } from 'tap'
import { ROUTES } from '../../../api/routes.ts'
import { newId } from '../../../shared/id.ts'
import { openInstallation } from '../../harness/installation.ts'

const OPERATOR_ROUTES = ROUTES.filter(({ caller }) => caller === 'operator')
const RATES = ['/operator/v1/fx_rates', '/operator/v1/fx_tables', '/operator/v1/fx_tables/:id']

test('a credential of a narrow scope makes its calls and no other', async (t) => {
  const api = await openInstallation()
  const made = async (scope: string) => {
    const { body } = await api.operate('POST', '/operators', { name: scope, scope })
    t.equal(body.scope, scope)
    return body.secret as string
  }
  const keys = { read: await made('read'), rates: await made('rates'), all: await made('all') }
  const allowed = async (key: string, method: string, path: string): Promise<boolean> => {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: { unknown: 1 } }
    const answer = await api.call(method, path.replace(/:\w+/g, 'none'), { key, ...body })
    if (answer.body?.error?.code !== 'insufficient_scope') return true
    t.equal(answer.status, 403)
    return false
  }
  t.ok(OPERATOR_ROUTES.length > 40)
  for (const { method, paths } of OPERATOR_ROUTES)
    for (const path of paths) {
      const name = method + ' ' + path
      t.equal(await allowed(keys.all, method, path), true, name)
      t.equal(await allowed(keys.read, method, path), method === 'GET', name)
      t.equal(await allowed(keys.rates, method, path), RATES.includes(path), name)
    }
  const strange = await api.operate('POST', '/operators', { name: 'x', scope: 'write' })
  t.match(strange.body.error, { code: 'parameter_invalid', param: 'scope' })
})

test('an operator of a narrow scope has no person', async (t) => {
  const api = await openInstallation()
  const id = newId('idn', 1)
  const email = id + '@person.example'
  await api.sql`
    insert into identities (id, email, name, created_at, verified_at)
    values (${id}, ${email}, 'Grace', 1, 1)`
  const { body } = await api.operate('POST', '/operators', { name: 'Cron', scope: 'rates' })
  const linked = await api.operate('POST', '/operators/' + body.id + '/link', { email })
  t.match(linked.body.error, { code: 'invalid_state', message: /scope is all/ })
  await t.rejects(
    api.sql`update operators set identity_id = ${id} where id = ${body.id}`,
    { code: '23514' },
    'the database holds it too',
  )
})
