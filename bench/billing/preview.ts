// The preview of a change of plan, asked by a tenant with a month of much usage.
import { meterJob } from '../../api/billing/metering/index.ts'
import { apiKeyHash, newApiKey } from '../../shared/api-key.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { rounded } from '../figures.ts'
import { openLatency, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { type BillingTestbed, closeAll, runAll, subscribeTenants } from './testbed.ts'

const EVENTS = { full: 1_000_000, quick: 50_000 }
const CALLS = { full: 3000, quick: 500 }
const P99_MS_MAX = 20

export async function measurePreview(at: BillingTestbed, options: BenchOptions): Promise<Findings> {
  const size = options.quick ? 'quick' : 'full'
  const [tenantId = ''] = await subscribeTenants(at, { tenants: 1, eventsEach: EVENTS[size] })
  await runAll(at, meterJob)
  await closeAll(at)
  const now = systemClock.nowMs()
  await at.sql`
    insert into rate_limit_overrides (tenant_id, environment, factor, expires_at)
    values (${tenantId}, 'sandbox', 1000, 4000000000000)`
  const key = newApiKey('secret', 'sandbox')
  await at.sql`
    insert into api_keys (id, tenant_id, environment, role, scope, hash, last4, created_at)
    values (${newId('key', now)}, ${tenantId}, 'sandbox', 'secret', 'read', ${apiKeyHash(key)},
      ${key.slice(-4)}, ${now})`
  options.log('Asking ' + CALLS[size] + ' previews at ' + EVENTS[size] + ' counted events.')
  const latency = openLatency()
  const url = 'http://127.0.0.1:' + at.port + '/v1/billing/invoice_preview?plan=growth'
  for (let calls = 0; calls < CALLS[size]; calls++) {
    const startedAt = performance.now()
    const answer = await fetch(url, { headers: { authorization: 'Bearer ' + key } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error('a preview was ' + answer.status + ' ' + text)
    latency.record((performance.now() - startedAt) * 1000)
  }
  const { p50, p99 } = percentilesOf([latency.encoded()])
  return {
    lines: ['preview of a change of plan, ms: p50 ' + p50 + ', p99 ' + p99],
    figures: { usage: EVENTS[size], preview_ms: { p50, p99 } },
    targets: [
      {
        sentence: 'p99 of a preview : ' + P99_MS_MAX + ' ms',
        ratio: rounded(p99 / P99_MS_MAX),
        atMost: 1,
      },
    ],
    flaws: [],
  }
}
