// The tenant is asked and gives no usable answer: every kind of silence ends in stand-in, in time.
import { createServer } from 'node:https'
import { loopbackPort } from '../../start/ports.ts'
import {
  approves,
  type Behaviour,
  drips,
  floods,
  hangs,
  repliesWith,
  resets,
  resetsAfterHeaders,
  says,
} from '../behaviour.ts'
import { oneOf } from '../differences.ts'
import { declined, type Expected, stoodIn } from '../expected.ts'
import { authorizations, type Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import {
  EXPIRED_CERTIFICATE,
  OTHER_HOST_CERTIFICATE,
  UNTRUSTED_KEY,
} from '../tenant-certificates.ts'

const card = 'scenario_realtime'
const FLOOD_BYTES = 10 * 1024 * 1024
const MALFORMED = stoodIn(oneOf('malformed_schema', 'malformed_json'))

/** The number in front is the one of the sixty that it plays. */
function silence(
  [number, name]: readonly [number, string],
  story: string,
  tenant: Behaviour,
  expect: Expected,
): Scenario {
  const told = authorizations('tenant_' + name, story, { card, tenant, expect })
  return { ...told, covers: [number] }
}

export const TENANT_SILENCE: readonly Scenario[] = [
  silence([44, 'hang'], 'The tenant accepts the request and never answers.', hangs, timedOut()),
  silence([47, 'slow_drip'], 'The tenant sends its answer byte by byte.', drips, timedOut()),
  silence([48, 'reset'], 'The tenant cuts the connection.', resets, stoodIn('connection_error')),
  silence(
    [45, 'status_500'],
    'The tenant answers 500; a yes in the body does not count.',
    repliesWith(500, '{"approve":true}'),
    stoodIn('http_status'),
  ),
  silence(
    [45, 'status_204'],
    'The tenant answers 204, which says nothing.',
    repliesWith(204, ''),
    MALFORMED,
  ),
  silence(
    [45, 'status_301'],
    'The tenant redirects; nobody follows.',
    repliesWith(301, '', { location: '/elsewhere' }),
    stoodIn('http_status'),
  ),
  silence(
    [45, 'status_404'],
    'The tenant knows no such page.',
    repliesWith(404, '{"approve":true}'),
    stoodIn('http_status'),
  ),
  silence(
    [48, 'reset_after_headers'],
    'The tenant cuts the connection in the middle of its answer.',
    resetsAfterHeaders,
    stoodIn('connection_error'),
  ),
  silence(
    [46, 'not_a_number'],
    'NaN is no value of JSON.',
    repliesWith(200, '{"approve":NaN}'),
    stoodIn('malformed_json'),
  ),
  silence(
    [46, 'invalid_utf8'],
    'A reply that is no text in UTF-8 is no JSON.',
    repliesWith(200, Buffer.from('{"approve":true,"note":"\xff\xfe"}', 'latin1')),
    stoodIn('malformed_json'),
  ),
  silence(
    [46, 'garbage'],
    'The tenant answers something that is not JSON.',
    repliesWith(200, 'yes, of course \u{1F44D} {'),
    stoodIn('malformed_json'),
  ),
  silence(
    [46, 'approved_not_approve'],
    'A reply of {"approved":true} has no approve.',
    says({ approved: true }),
    stoodIn('malformed_schema'),
  ),
  silence(
    [46, 'approve_as_text'],
    'The text "true" is not a boolean.',
    says({ approve: 'true' }),
    stoodIn('malformed_schema'),
  ),
  silence(
    [46, 'array'],
    'A reply that is an array is not an object.',
    says([{ approve: true }]),
    stoodIn('malformed_schema'),
  ),
  silence(
    [46, 'oversized'],
    'The tenant sends ten megabytes that begin with a yes.',
    floods(FLOOD_BYTES),
    stoodIn('oversized'),
  ),
  {
    name: 'tenant_connection_refused',
    story: 'Nobody listens at the tenant’s address.',
    play: playConnectionRefused,
  },
  {
    name: 'tenant_tls_untrusted',
    story: 'The tenant’s certificate ran out, or names another host: it is not asked.',
    covers: [48],
    async play(stage) {
      for (const certificate of [EXPIRED_CERTIFICATE, OTHER_HOST_CERTIFICATE])
        await playUntrusted(stage, certificate)
    },
  },
  {
    name: 'tenant_dns_failure',
    story: 'The tenant’s name cannot be resolved.',
    covers: [49],
    async play(stage) {
      await stage.moveEndpoint('https://tenant.invalid/nobody')
      await stage.authorize(stage.message(stage.card(card)), stoodIn('connection_error'))
    },
  },
  authorizations(
    'stand_in_decline',
    'A program that wants no stand-in declines when its tenant is silent, and only then.',
    {
      card: 'scenario_realtime_standin_decline',
      tenant: repliesWith(500, ''),
      expect: declined({
        reason: 'stand_in_declined',
        code: '05',
        decidedBy: 'stand_in',
        webhook: { outcome: 'http_status', http_status: 500 },
      }),
    },
    {
      card: 'scenario_realtime_standin_decline',
      tenant: hangs,
      expect: declined({
        reason: 'stand_in_declined',
        code: '05',
        decidedBy: 'stand_in',
        webhook: { outcome: 'timeout_response' },
      }),
    },
  ),
]

function timedOut(): Expected {
  return stoodIn('timeout_response')
}

async function playConnectionRefused(stage: Stage): Promise<void> {
  await stage.moveEndpoint('http://127.0.0.1:' + (await loopbackPort(null)) + '/nobody')
  await stage.authorize(stage.message(stage.card(card)), stoodIn('connection_error'))
  // The same tenant is asked again as soon as it is back.
  const tenant = await stage.tenant()
  const message = stage.message(stage.card(card))
  tenant.behave(message.id, approves)
  const { answer } = await stage.send(message)
  stage.check('answer once the tenant is back', { approved: true, decided_by: 'tenant' }, answer)
}

/**
 * A server whose certificate is not trusted. It approves every request that reaches it in spite of
 * that.
 */
async function playUntrusted(stage: Stage, cert: string): Promise<void> {
  let asked = 0
  const server = createServer({ cert, key: UNTRUSTED_KEY }, (_request, response) => {
    asked += 1
    response.end('{"approve":true}')
  })
  const port = await loopbackPort(null)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  stage.afterwards(async () => {
    server.close()
    server.closeAllConnections()
  })
  await stage.moveEndpoint('https://127.0.0.1:' + port + '/tenant')
  await stage.authorize(stage.message(stage.card(card)), stoodIn('tls_error'))
  stage.check('times it was asked', 0, asked)
}
