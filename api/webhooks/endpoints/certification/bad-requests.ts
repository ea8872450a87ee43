// Probes that the tenant must refuse: requests from a stranger, or signed for another moment.
import type { Bench, Probe } from './bench.ts'
import { refused } from './observe.ts'
import { altered, type ProbeRequest, unsigned, withHeaders } from './signed-request.ts'

/** Longer than any tolerance that the specification allows. */
const HOUR_S = 3600

/** Every request that a tenant must refuse. */
export const BAD_REQUESTS: readonly Probe[] = [
  refusing('altered_signature', 'a signature whose last digit is another one', (bench) =>
    altered(bench.ask(bench.request(1301))),
  ),
  refusing('wrong_secret', 'a signature by a secret the endpoint never had', (bench) => {
    const request = bench.request(1302)
    const secrets = [bench.parts.strangerSecret]
    return bench.sign(request.id, JSON.stringify(request), { secrets })
  }),
  refusing('other_body', 'a body whose amount is not the one that was signed', (bench) => {
    const request = bench.ask(bench.request(1303))
    return { ...request, body: request.body.replace('"amount_cents":1303', '"amount_cents":1304') }
  }),
  refusing('stale_timestamp', 'a right signature that is an hour old', (bench) => {
    const request = bench.request(1305)
    return bench.sign(request.id, JSON.stringify(request), { ageS: HOUR_S })
  }),
  refusing('future_timestamp', 'a right signature from an hour ahead', (bench) => {
    const request = bench.request(1306)
    return bench.sign(request.id, JSON.stringify(request), { ageS: -HOUR_S })
  }),
  refusing('changed_timestamp', 'an hour-old signature with the time of now', (bench) => {
    const request = bench.request(1307)
    const body = JSON.stringify(request)
    const fresh = bench.sign(request.id, body).headers
    const old = bench.sign(request.id, body, { ageS: HOUR_S })
    const time = /^t=\d+/.exec(fresh['svc-signature'] ?? '')?.[0] ?? ''
    return withHeaders(old, {
      'svc-signature': (old.headers['svc-signature'] ?? '').replace(/^t=\d+/, time),
      'webhook-timestamp': fresh['webhook-timestamp'] ?? '',
    })
  }),
  refusing('missing_header', 'no signature', (bench) => unsigned(bench.ask(bench.request(1308)))),
  refusing('malformed_header', 'a signature header that cannot be parsed', (bench) =>
    withHeaders(bench.ask(bench.request(1309)), {
      'svc-signature': 'signed',
      'webhook-signature': 'signed',
    }),
  ),
  refusing('malformed_body', 'a right signature over what is not JSON', (bench) => {
    const request = bench.request(1310)
    return bench.sign(request.id, JSON.stringify(request).slice(0, -1))
  }),
  refusing('get_request', 'GET instead of POST', () => ({ ...BARE, method: 'GET' })),
  refusing('head_request', 'HEAD instead of POST', () => ({ ...BARE, method: 'HEAD' })),
]

const BARE: Omit<ProbeRequest, 'method'> = { headers: {}, body: '', pieces: 1, pauseMs: 0 }

function refusing(name: string, sent: string, make: (bench: Bench) => ProbeRequest): Probe {
  return {
    name,
    sent,
    expected: 'HTTP 4xx',
    observe: async (bench) => refused(await bench.parts.caller.call(bench.parts.url, make(bench))),
  }
}
