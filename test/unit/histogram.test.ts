// Durations as a metrics page shows them.
import { test } from 'tap'
import { latencies } from '../../engine/latencies.ts'
import { Histogram } from '../../shared/histogram.ts'

test('a page has a line for each bound, one for all, the sum and the count', (t) => {
  const histogram = new Histogram([10, 500], 1000)
  for (const ms of [-3, 10, 500, 501]) histogram.observe(ms)
  t.same(histogram.lines('svc_some_seconds'), [
    'svc_some_seconds_bucket{le="0.01"} 2',
    'svc_some_seconds_bucket{le="0.5"} 3',
    'svc_some_seconds_bucket{le="+Inf"} 4',
    'svc_some_seconds_sum 1.011',
    'svc_some_seconds_count 4',
  ])
  t.end()
})

test('each bucket counts durations up to its bound, the last one all', (t) => {
  const histogram = latencies()
  for (const us of [0, 5, 6, 1000, 1001, 3_000_000]) histogram.observe(us)
  const lines = histogram.lines('svc_some_seconds')
  for (const line of [
    'svc_some_seconds_bucket{le="0.000005"} 2',
    'svc_some_seconds_bucket{le="0.00001"} 3',
    'svc_some_seconds_bucket{le="0.0005"} 3',
    'svc_some_seconds_bucket{le="0.001"} 4',
    'svc_some_seconds_bucket{le="0.0025"} 5',
    'svc_some_seconds_bucket{le="2"} 5',
    'svc_some_seconds_bucket{le="+Inf"} 6',
    'svc_some_seconds_sum 3.002012',
    'svc_some_seconds_count 6',
  ])
    t.ok(lines.includes(line), line)
  t.end()
})

test('a label appears on every line, and all values are zero at first', (t) => {
  const lines = latencies().lines('svc_some_seconds', 'step="answer"')
  t.ok(lines.every((line) => line.includes('{step="answer"') && line.endsWith(' 0')))
  t.ok(lines.includes('svc_some_seconds_bucket{step="answer",le="+Inf"} 0'))
  t.ok(lines.includes('svc_some_seconds_count{step="answer"} 0'))
  t.end()
})
