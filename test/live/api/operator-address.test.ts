// Pages of operators exist only for callers from an address of operators. The callers here have
// loopback addresses of their own: the server sees another peer, whatever their headers say.
import { test } from 'tap'
import { Agent, request } from 'undici'
import type { Cidr } from '../../../shared/address.ts'
import { parseCidrs } from '../../../shared/address.ts'
import { startTestApi } from '../../harness/api.ts'
import { openInstallation } from '../../harness/installation.ts'
import { openOperator } from '../../harness/operator-person.ts'
import { OWN_SITE } from '../../harness/visit.ts'

const FOREIGN = '127.0.0.2'
const PROXY = '127.0.0.3'

function ranges(text: string): readonly Cidr[] {
  const parsed = parseCidrs(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

async function open() {
  await startTestApi({
    operatorCidrs: ranges('127.0.0.1/32,203.0.113.0/24'),
    trustedProxies: ranges(PROXY + '/32'),
  })
  const api = await openInstallation()
  const { tenantId } = api.tenant
  await api.sql`update tenants set kyb_status = 'submitted' where id = ${tenantId}`
  const operator = await openOperator(api)
  /** Asks from an address of this machine; `forwarded` is what a proxy would add. */
  const ask = async (
    localAddress: string,
    path: string,
    { form, forwarded }: { form?: { [field: string]: string }; forwarded?: string } = {},
  ) => {
    const dispatcher = new Agent({ localAddress })
    const answer = await request(api.url + path, {
      dispatcher,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        cookie: operator.cookie,
        ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
        ...(form !== undefined && {
          ...OWN_SITE,
          'content-type': 'application/x-www-form-urlencoded',
        }),
      },
      ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
    })
    const text = await answer.body.text()
    await dispatcher.close()
    return { status: answer.statusCode, text }
  }
  return { api, tenantId, ask }
}

test('27: an operator from a foreign address finds no page of operators', async (t) => {
  const { api, tenantId, ask } = await open()
  const page = '/operator/kyb/' + tenantId
  t.equal((await ask('127.0.0.1', '/operator')).status, 200)
  const unknown = await ask(FOREIGN, '/account/passkeys/none/remove')
  t.equal(unknown.status, 404)
  for (const path of ['/operator', page])
    t.same(await ask(FOREIGN, path), unknown, 'like any page that is none')
  for (const move of ['approve', 'reject']) {
    const form = { reason: 'x', signature: 'x' }
    t.same(await ask(FOREIGN, page + '/' + move, { form }), unknown)
  }
  const [tenant] = await api.sql`select kyb_status from tenants where id = ${tenantId}`
  t.equal(tenant?.['kyb_status'], 'submitted')
})

test('a header makes no caller near; the address that a trusted proxy saw counts', async (t) => {
  const { ask } = await open()
  for (const forwarded of ['127.0.0.1', '203.0.113.9', '127.0.0.1, 203.0.113.9'])
    t.equal((await ask(FOREIGN, '/operator', { forwarded })).status, 404, forwarded)
  t.equal((await ask(PROXY, '/operator')).status, 404, 'the proxy itself is no operator')
  t.equal((await ask(PROXY, '/operator', { forwarded: '203.0.113.9' })).status, 200)
  t.equal((await ask(PROXY, '/operator', { forwarded: '198.51.100.7' })).status, 404)
  const claimed = '203.0.113.9, 198.51.100.7'
  t.equal(
    (await ask(PROXY, '/operator', { forwarded: claimed })).status,
    404,
    'the last one counts',
  )
})
