// The simulator's output for people: the list, a line per scenario, the tables of a load.
import type { LoadReport } from './load.ts'
import type { ScenarioReport } from './run-scenarios.ts'
import type { Scenario } from './scenario.ts'
import type { Numbered } from './scenarios/sixty.ts'
import { LATENCY_COLUMNS, LATENCY_HEAD, percentileCells, renderTable, tableLines } from './table.ts'

/**
 * Those of the sixty that stories play against a running service, and below them every story. The
 * test suite plays the others with an engine whose clock it moves.
 */
export function renderList(sixty: readonly Numbered[], scenarios: readonly Scenario[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  const stories = scenarios.map(({ name, story }) => name.padEnd(width) + '   ' + story)
  return [
    ...sixty.filter(({ stories }) => stories.length > 0).flatMap(numberedLines),
    '',
    ...stories,
    '',
  ].join('\n')
}

function numberedLines({ number, title, stories }: Numbered): string[] {
  const line = String(number).padStart(2) + '  ' + title
  return [line, '      played by  ' + stories.join(', ')]
}

/** `ok` or `FAIL`, and below it the lines of the story and every mismatch. */
export function renderScenario(report: ScenarioReport): string {
  const { passed, name, story, took_ms: tookMs, said = [] } = report
  const line =
    (passed ? '  ok    ' : '  FAIL  ') + name.padEnd(34) + ' ' + story + ' (' + tookMs + ' ms)'
  return [line, ...[...said, ...report.mismatches].map((each) => '          ' + each)].join('\n')
}

export function renderScenarioSummary(reports: readonly ScenarioReport[]): string {
  const failed = reports.filter(({ passed }) => !passed)
  return failed.length === 0
    ? reports.length + ' scenarios played, every answer as expected.'
    : failed.length +
        ' of ' +
        reports.length +
        ' scenarios went wrong: ' +
        failed.map(({ name }) => name).join(', ')
}

export function renderLoad(report: LoadReport): string {
  const { latency, mismatches } = report
  const lines = [
    report.sent +
      ' messages, ' +
      report.achieved_per_s +
      ' a second (asked for ' +
      report.rate_per_s +
      ') over ' +
      report.connections +
      ' connections',
    '',
    renderTable(report.outcomes),
    '',
    ...tableLines(
      ['latency from the intended send time', ...LATENCY_HEAD],
      [
        ['all', ...percentileCells(latency.all)],
        ...(latency.with_tenant.count === 0
          ? []
          : [
              ['without a tenant call', ...percentileCells(latency.without_tenant)],
              ['with a tenant call', ...percentileCells(latency.with_tenant)],
            ]),
        ['of it, lateness of the simulator', ...percentileCells(latency.lateness)],
      ],
      LATENCY_COLUMNS,
    ),
    '',
  ]
  if (mismatches.count === 0) return [...lines, 'Every answer as expected.'].join('\n')
  return [
    ...lines,
    mismatches.count + ' answers were not as expected, for example:',
    ...mismatches.examples.map((example) => '  ' + example),
  ].join('\n')
}
