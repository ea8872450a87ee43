// The wipe of a sandbox where the service is too busy for its owner's approval.
import { test } from 'tap'
import { startPeerServer } from '../../scripts/peer-http.ts'
import { wipeSandbox } from '../../scripts/reset/wipe.ts'

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
  const [waits, said]: [number[], string[]] = [[], []]
  let now = 10_000
  const clock = {
    nowMs: () => now,
    after(delayMs: number, task: () => void) {
      waits.push(delayMs)
      now += delayMs
      task()
      return { cancel: () => undefined }
    },
  }
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
  const world = { apiUrl: url, clock, say: (line: string) => said.push(line) }
  const done = await wipeSandbox(world, { keys: KEYS, owner: OWNER })
  await service.close()
  return { done, waits, said, approvals: calls.filter((call) => call === 'POST /approve').length }
}

test('an approval that the service was too busy for is sent again', async (t) => {
  const { done, approvals } = await wipeWith([503, 503, 200])
  t.same({ done, approvals }, { done: { ok: true, value: null }, approvals: 3 })
})

test('a refused approval is not called a busy service', async (t) => {
  const { done, approvals } = await wipeWith([429])
  t.match(done, { ok: false, error: /cannot approve \(429\)/ })
  t.equal(approvals, 1)
})

test('a code that was used gives way to the next, once', async (t) => {
  const next = await wipeWith([422, 200])
  t.same(next.done, { ok: true, value: null })
  t.same(next.waits, [20_000], 'until the generator shows another code')
  t.match(next.said, [/waiting for the next one/])
  const wrong = await wipeWith([422, 422])
  t.match(wrong.done, { ok: false, error: /cannot approve \(422\)/ })
  t.same(wrong.waits.length, 1)
})
