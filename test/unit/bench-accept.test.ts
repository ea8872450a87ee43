// The effect of a run on the accepted figures, and that README's table shows them.
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import {
  type AcceptedBench,
  acceptedAfter,
  readAccepted,
  withMeasured,
} from '../../bench/accept.ts'
import type { Machine } from '../../bench/machine.ts'
import type { Findings } from '../../bench/measured.ts'

const README = readFileSync(new URL('../../bench/README.md', import.meta.url), 'utf8')
const MACHINE = {
  ...{ commit: '0123abc', changed: false, node: 'v22', processors: 2, cpu: 'a processor' },
  ...{ sync: { p50_us: 100 }, quiet: true },
} as Machine
const TOLD = { ours: 1, theirs: 2, unit: 'ms', each: [] }
const FINDINGS: Findings = {
  lines: [],
  figures: {},
  targets: [{ sentence: 'less', ratio: 2, atMost: 1 }],
  flaws: [],
  ratios: [
    { ...TOLD, sentence: 'more', ratio: 0.5, bound: { atLeast: 0.4 } },
    { ...TOLD, sentence: 'only told', ratio: 7, bound: null },
  ],
}

function run(name: string, findings: Findings): Parameters<typeof acceptedAfter>[1] {
  const command = 'npm run bench -- ' + name
  const bench = { name, summary: '', command, seconds: 1, findings }
  return { benches: [bench], machine: MACHINE, date: '2026-11-20T12:00:00Z' }
}

test('README’s table shows the accepted figures', (t) => {
  t.equal(withMeasured(README, readAccepted()), README, 'node bench/accept.ts brings it up to date')
  t.end()
})

test('a run replaces the accepted figures of its benches, unless its own are invalid', (t) => {
  const other: AcceptedBench = { bench: 'other', command: '-- other', measured: 'there', rows: [] }
  const old: AcceptedBench = { ...other, bench: 'one' }
  const accepted = acceptedAfter([old, other], run('one', FINDINGS))
  t.same(accepted, [
    {
      bench: 'one',
      command: '-- one',
      measured: '2026-11-20, 0123abc, Node v22, 2 × a processor, a sync 100 µs',
      rows: [
        { what: 'more', figures: '0.5 (1 : 2 ms)', wanted: 'at least 0.4' },
        { what: 'less', figures: '2', wanted: 'at most 1, missed' },
      ],
    },
    other,
  ])
  const readme = withMeasured('a <!-- measured -->old<!-- /measured --> b', accepted)
  t.match(readme, /^a .*\| less \| 2 \| at most 1, missed \| `-- one` \|.*one: 2026-11-20.* b$/s)
  t.notMatch(readme, /old|only told/)
  const flawed = run('one', { ...FINDINGS, flaws: ['busy'] })
  t.same(acceptedAfter([old, other], flawed), [old, other])
  t.end()
})

test('a row that another bench measures now leaves the bench that measured it before', (t) => {
  const row = { figures: '9', wanted: 'at most 1, missed' }
  const rows = [
    { what: 'less', ...row },
    { what: 'else', ...row },
  ]
  const old = { bench: 'whole', command: '-- whole', measured: 'there', rows }
  const [, kept] = acceptedAfter([old], run('part', FINDINGS))
  t.same(kept, { ...old, rows: [{ what: 'else', ...row }] })
  t.end()
})
