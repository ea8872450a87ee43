import { test } from 'tap'
import { packagesReport } from '../../scripts/packages/report.ts'

test('a package with an advisory, one behind and an old Node are named', (t) => {
  const report = packagesReport({
    audit: {
      vulnerabilities: {
        undici: {
          severity: 'high',
          range: '<8.12.5',
          fixAvailable: { name: 'undici', version: '8.12.5' },
        },
        leftover: { severity: 'low', range: '*', fixAvailable: false },
      },
    },
    outdated: {
      pino: { current: '10.4.0', latest: '10.10.0' },
      // A tag of the registry may name an older release, and an optional package may be missing.
      chromium: { current: '147.0.2', latest: '147.0.0' },
      absent: { latest: '1.0.0' },
    },
    node: 'Node 22.1.0 lacks a release.',
  })
  t.same(report, {
    lines: [
      'UNSAFE  Node 22.1.0 lacks a release.',
      'UNSAFE  undici <8.12.5: high, mended by undici 8.12.5',
      'UNSAFE  leftover *: low, no release mends it',
      'behind  pino 10.4.0, latest 10.10.0',
    ],
    isComplete: true,
    unsafe: 3,
  })
  t.end()
})

test('a registry that tells no advisories is not taken for a safe one', (t) => {
  const report = packagesReport({ audit: null, outdated: {}, node: null })
  t.equal(report.isComplete, false)
  t.match(report.lines, [/nothing is known/])
  t.end()
})
