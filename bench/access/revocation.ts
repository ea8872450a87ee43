// Revocation across processes: a platform ends a connection at one process of the API, and another
// one, which knows the token, refuses it.
import { rounded } from '../figures.ts'
import { openLatency, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import type { AccessTestbed } from './testbed.ts'

const CONNECTIONS = { full: 200, quick: 40 }
const REFUSED_MS_MAX = 100
/** A token that works for so long after its end counts as never refused. */
const PATIENCE_MS = 5000

export async function measureRevocation(
  at: AccessTestbed,
  options: BenchOptions,
): Promise<Findings> {
  const count = options.quick ? CONNECTIONS.quick : CONNECTIONS.full
  options.log('Ending ' + count + ' connections at one process, calling another.')
  const latency = openLatency()
  const flaws = new Set<string>()
  for (let number = 0; number < count; number++) {
    const ms = await untilRefused(at)
    if (ms === null) flaws.add('a revoked token went on working')
    else latency.record(ms * 1000)
  }
  const { p50, p99, max } = percentilesOf([latency.encoded()])
  return {
    lines: ['revoked to refused in another process, ms: p50 ' + p50 + ', p99 ' + p99],
    figures: { refused_elsewhere_ms: { p50, p99, max } },
    targets: [
      {
        sentence: 'p99 from revoked to refused in another process : ' + REFUSED_MS_MAX + ' ms',
        ratio: rounded(p99 / REFUSED_MS_MAX),
        atMost: 1,
      },
    ],
    flaws: [...flaws],
  }
}

/** Milliseconds from the answer of the revocation to the first refusal; null if none came. */
async function untilRefused(at: AccessTestbed): Promise<number | null> {
  const { apis, caller } = at
  const [first, second] = apis
  const { access_token: token } = await at.connect()
  const from = at.newAddress()
  const ask = async (): Promise<boolean> => {
    const headers = { authorization: 'Bearer ' + token }
    const path = '/v1/cards?limit=1'
    const asked = { port: second.port, from, method: 'GET', path, headers } as const
    return (await caller.call(asked)).status === 200
  }
  if (!(await ask())) return null
  const form = { token }
  await caller.expect(200, { port: first.port, from, method: 'POST', path: '/oauth/revoke', form })
  const revokedAt = performance.now()
  while (performance.now() - revokedAt < PATIENCE_MS)
    if (!(await ask())) return performance.now() - revokedAt
  return null
}
