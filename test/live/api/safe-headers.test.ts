// Every kind of answer forbids guessing its type, and an answer over HTTPS demands HTTPS for later:
// pages, documents, files, streams, and the OAuth endpoints of a library that writes by itself.
import { test } from 'tap'
import { tx } from '../../../api/database/transaction.ts'
import { ensureDerivationRoot } from '../../../scripts/start/seed/derivation-root.ts'
import { parseCidrs } from '../../../shared/address.ts'
import { MASTER_KEYS, startTestApi } from '../../harness/api.ts'

const PLACES: readonly (readonly [method: string, path: string])[] = [
  ['GET', '/v1/cards'],
  ['GET', '/v1/cards?format=csv'],
  ['GET', '/v1/card_transactions/stream'],
  ['GET', '/nowhere'],
  ['OPTIONS', '/v1/card_tokens'],
  ['POST', '/v1/api_keys'],
  ['GET', '/health/live'],
  ['GET', '/docs'],
  ['GET', '/docs/style.css'],
  ['GET', '/openapi.json'],
  ['GET', '/sign-in'],
  ['GET', '/challenge/none'],
  ['GET', '/d'],
  ['GET', '/operator'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/oauth/authorize'],
  ['POST', '/oauth/token'],
  ['GET', '/p/none'],
  ['GET', '/pay/enrol/none'],
]

test('no answer may be guessed at, and HTTPS stays HTTPS', async (t) => {
  const proxies = parseCidrs('127.0.0.1/32')
  if (!proxies.ok) throw new Error(proxies.error)
  const api = await startTestApi({ trustedProxies: proxies.value })
  // The keys of OAuth are derived from it.
  await tx(api.sql, (sql) => ensureDerivationRoot(sql, MASTER_KEYS))
  const key = api.tenant.keys.admin
  for (const [method, path] of PLACES) {
    const headers = { 'x-forwarded-for': '127.0.0.2', 'x-forwarded-proto': 'https' }
    const over = await api.call(method, path, { key, headers })
    t.ok(over.status < 500, path)
    const what = method + ' ' + path + ' ' + over.status
    t.equal(over.headers.get('x-content-type-options'), 'nosniff', what)
    t.match(over.headers.get('strict-transport-security'), /max-age=31536000/, what)
  }
})
