// The pages of the reference as text: links lead somewhere, and code that they show runs.
import { createHmac } from 'node:crypto'
import { test } from 'tap'
import { openApiDocument } from '../../api/documents/openapi.ts'
import { operatorSite, tenantSite } from '../../api/documents/pages/site.ts'
import { ROUTES } from '../../api/routes.ts'
import { BAD_REQUESTS } from '../../api/webhooks/endpoints/certification/bad-requests.ts'
import { GOOD_REQUESTS } from '../../api/webhooks/endpoints/certification/good-requests.ts'

const tenants = tenantSite(openApiDocument(ROUTES)).pages
const operators = operatorSite(openApiDocument(ROUTES, { audience: 'operator' })).pages
const TEXTS = new Map(
  [...tenants, ...operators].map(([path, make]) => [path, make().body.text] as const),
)
/** Addresses that are no pages of the two trees. */
const OTHERS = /^(?:\/openapi\.json|\/operator\/openapi\.json|\/docs\/svc-client\.tgz)(?:\?|$)/

test('each link of a page leads to a page, and to a place on it', (t) => {
  const dead: string[] = []
  let links = 0
  for (const [page, text] of TEXTS) {
    for (const [, href = ''] of text.matchAll(/href="([#/][^"]*)"/g)) {
      if (OTHERS.test(href)) continue
      links += 1
      const [path = '', place = ''] = href.split('#')
      const target = TEXTS.get(path === '' ? page : path)
      if (target === undefined || (place !== '' && !target.includes('id="' + place + '"')))
        dead.push(page + ' → ' + href)
    }
  }
  t.ok(links > 1000)
  t.same(dead, [])
  t.end()
})

test('the verifier of the guide accepts a signature of ours, and nothing else', async (t) => {
  const markup = /import \{ createHmac[\s\S]*?<\/code>/.exec(TEXTS.get('/docs/webhooks') ?? '')
  const source = (markup?.[0] ?? '')
    .replace('</code>', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
  const shown = await import(
    'data:text/javascript,' + encodeURIComponent(source + '\nexport { isGenuine }')
  )
  const [secret, body, now] = ['whsec_c2VjcmV0', '{"id":"evt_1"}', 1_795_176_000]
  const signed = (at: number, key = secret, text = body) =>
    't=' +
    at +
    ',v1=' +
    createHmac('sha256', key)
      .update(at + '.' + text)
      .digest('hex')
  const accepts = (header: string): boolean =>
    shown.isGenuine(Buffer.from(body), header, secret, now)
  t.ok(accepts(signed(now)))
  t.ok(accepts('t=' + now + ',v1=' + '0'.repeat(64) + signed(now).slice(signed(now).indexOf(','))))
  const forged = [
    signed(now, 'whsec_other'),
    signed(now, secret, '{}'),
    signed(now - 301),
    signed(now + 301),
    't=' + now,
    't=x,v1=x',
    '',
  ]
  for (const header of forged) t.notOk(accepts(header), header)
})

test('the guide of real-time endpoints counts the questions of a certification', (t) => {
  const questions = GOOD_REQUESTS.length + BAD_REQUESTS.length
  t.match(TEXTS.get('/docs/realtime'), 'sends ' + questions + ' questions')
  t.end()
})
