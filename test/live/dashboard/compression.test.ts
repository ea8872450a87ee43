// Pages and assets are compressed for readers who take it, and never beside a secret.
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { test } from 'tap'
import { startDashboard } from '../../harness/dashboard.ts'
import { visit } from '../../harness/visit.ts'

/** The answer as it travels. */
function raw(address: string, headers: { [name: string]: string }) {
  return new Promise<{ encoding: string; vary: string; body: Buffer }>((resolve, reject) => {
    const call = request(address, { headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () =>
        resolve({
          encoding: String(answer.headers['content-encoding'] ?? ''),
          vary: String(answer.headers['vary'] ?? ''),
          body: Buffer.concat(parts),
        }),
      )
    })
    call.on('error', reject)
    call.end()
  })
}

test('a page is compressed for a reader who takes it', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const page = api.url + root + '/transactions'
  for (const accepted of ['gzip', 'br, gzip;q=0.5', 'deflate, *', 'GZIP'])
    t.equal((await raw(page, { cookie, 'accept-encoding': accepted })).encoding, 'gzip', accepted)
  for (const refused of ['', 'br', 'gzip;q=0', 'br, gzip;q=0.0', 'xgzip'])
    t.equal((await raw(page, { cookie, 'accept-encoding': refused })).encoding, '', refused)
  const packed = await raw(page, { cookie, 'accept-encoding': 'gzip' })
  t.equal(packed.vary, 'Accept-Encoding')
  const text = gunzipSync(packed.body).toString()
  t.match(text, /^<!doctype html>[\s\S]*<\/html>\n$/)
  t.ok(packed.body.length * 3 < text.length, packed.body.length + ' of ' + text.length)
  for (const asset of text.match(/\/assets\/[\w/-]+\.css/g) ?? [])
    t.match(await raw(api.url + asset, { 'accept-encoding': 'gzip' }), {
      encoding: 'gzip',
      vary: 'Accept-Encoding',
    })
})

test('the answer of a form is not compressed', async (t) => {
  const { api, root, cookie } = await startDashboard()
  const form = { form_id: 'f'.repeat(24), name: 'Ledger', role: 'secret', scope: 'read' }
  const answer = await visit(api, root + '/keys/new', { cookie, form })
  t.equal(answer.headers.get('content-encoding'), null)
  t.match(await answer.text(), 'Confirm that it is you')
})
