// Metrics pages, read as strictly as a scraper may.
import { test } from 'tap'
import { RequestMetrics } from '../../api/http/request-metrics.ts'
import { Stages } from '../../api/webhooks/delivery/stages.ts'
import { Metrics } from '../../engine/metrics.ts'
import { idleGauges } from '../harness/engine-gauges.ts'
import { parseMetrics } from '../harness/metrics-page.ts'

test('the engine’s page names and explains each family', (t) => {
  const metrics = new Metrics()
  metrics.observe('answer', 100)
  metrics.countRefusal('invalid_json')
  metrics.countTenant('timeout')
  const page = metrics.text({
    ...idleGauges(),
    journalSeq: 5,
    drainedSeq: 3,
    clockAheadMs: { database: -20 },
  })
  const families = parseMetrics(page)
  t.equal(
    families.get('svc_journal_undrained_entries')?.samples.get('svc_journal_undrained_entries'),
    2,
  )
  t.ok(
    (families.get('svc_resident_memory_bytes')?.samples.get('svc_resident_memory_bytes') ?? 0) >
      1e6,
  )
  t.equal(
    families.get('svc_refusals_total')?.samples.get('svc_refusals_total{code="invalid_json"}'),
    1,
  )
  t.end()
})

test('the API counts requests by the pattern of their route, refusals by code, and replays', (t) => {
  const metrics = new RequestMetrics()
  const observe = (url: string | undefined, statusCode: number, refusedWith: string | null) =>
    metrics.observe(
      { routeOptions: { url }, method: 'GET', factorOutcome: null } as never,
      { statusCode, elapsedTime: 7, refusedWith, hasHeader: () => statusCode === 200 } as never,
    )
  observe('/v1/cards/:id', 200, null)
  observe('/v1/cards/:id', 404, 'resource_missing')
  for (const path of [undefined, undefined]) observe(path, 404, 'route_not_found')
  const families = parseMetrics(metrics.lines().join('\n') + '\n')
  const times = families.get('svc_request_seconds')?.samples
  const count = (labels: string) => times?.get('svc_request_seconds_count{' + labels + '}')
  t.equal(count('method="GET",route="/v1/cards/:id",status="2xx"'), 1)
  t.equal(count('method="GET",route="/v1/cards/:id",status="4xx"'), 1)
  t.equal(
    count('method="none",route="none",status="4xx"'),
    2,
    'what a stranger asks for is no label',
  )
  t.equal(
    families.get('svc_refusals_total')?.samples.get('svc_refusals_total{code="route_not_found"}'),
    2,
  )
  t.equal(
    families.get('svc_idempotent_replays_total')?.samples.get('svc_idempotent_replays_total'),
    1,
  )
  t.end()
})

test('a dispatcher’s stages and rounds are histograms that add up', (t) => {
  const stages = new Stages()
  stages.round('claim', 3)
  const families = parseMetrics(stages.lines().join('\n') + '\n')
  t.equal(families.get('svc_delivery_round_seconds')?.type, 'histogram')
  t.end()
})

test('a page that a scraper would misread is refused', (t) => {
  const head = '# HELP a_total A.\n# TYPE a_total counter\n'
  for (const page of [
    'a_total 1\n',
    '# TYPE a_total counter\na_total 1\n',
    head + 'a_total 1',
    head + 'a_total 1\na_total 2\n',
    head + 'b_total 1\n',
    head + 'a_total{b="c"d"} 1\n',
    head + 'a_total x\n',
    head + head,
    '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 1\nh_count 1\n',
  ])
    t.throws(() => parseMetrics(page), page)
  t.end()
})
