// The wipe of a sandbox where the service is too busy for its owner's approval.
import { test } from 'tap'
import { startPeerServer } from '../../scripts/peer-http.ts'
import { wipeSandbox } from '../../scripts/reset/wipe.ts'
import { systemClock } from '../../shared/clock.ts'

const OWNER = {
  id: 'usr_1',
  email: 'a@b.example',
  password: 'p',
  totp_secret: 'JBSWY3DPEHPK3PXP',
  recovery_codes: [],
}
const KEYS = {
  admin: 'svc_sk_admin',
  write: 'svc_sk_write',
  read: 'svc_sk_read',
  publishable: 'svc_pk_1',
}

/** A service whose page answers with each of the statuses once, the last one for ever. */
async function wipeWith(statuses: number[]) {
  const calls: string[] = []
  let url = ''
  const service = await startPeerServer(0, ({ method, url: path, headers }) => {
    calls.push(method + ' ' + path)
    const page = { challenge_url: url + '/approve', challenge: { id: 'fch_1' } }
    const asked = { type: 'authentication', code: 'factor_required', message: 'Approve.', ...page }
    if (path === '/approve') return { status: statuses.shift() ?? 503, body: {} }
    if (method === 'GET') return { status: 200, body: { token: 'fct_1' } }
    if (headers['svc-factor'] === 'fct_1') return { status: 200, body: {} }
    return { status: 403, body: { error: asked } }
  })
  url = service.url
  const world = { apiUrl: url, clock: systemClock, say: () => undefined }
  const done = await wipeSandbox(world, { keys: KEYS, owner: OWNER })
  await service.close()
  return { done, approvals: calls.filter((call) => call === 'POST /approve').length }
}

test('an approval that the service was too busy for is sent again', async (t) => {
  t.same(await wipeWith([503, 503, 200]), { done: { ok: true, value: null }, approvals: 3 })
})

test('a refused approval is not called a busy service', async (t) => {
  const { done, approvals } = await wipeWith([429])
  t.match(done, { ok: false, error: /cannot approve \(429\)/ })
  t.equal(approvals, 1)
})
