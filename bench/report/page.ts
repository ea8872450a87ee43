// The report of one run: one HTML file that loads nothing.
import type { Machine } from '../machine.ts'
import { accepted, type Findings, isMet } from '../measured.ts'
import { curveCharts, seriesChart, stagesChart } from './charts.ts'
import { ratioBars } from './ratios.ts'
import { STYLE } from './style.ts'
import { escaped, flattened } from './text.ts'

export interface Report {
  date: string
  command: string
  machine: Machine
  /** In the order in which they ran. */
  benches: readonly BenchReport[]
  /** Benches for which this run had no time, a sentence each. */
  left: readonly string[]
  /** Names of those that are still to run: a report is written after each. */
  pending: readonly string[]
  /** Ratios that are worse than the accepted ones, a sentence each. */
  worse: readonly string[]
}

export interface BenchReport {
  name: string
  summary: string
  /** With which this one alone is measured again. */
  command: string
  /** The duration of the bench. */
  seconds: number
  findings: Findings
}

/** The whole file. */
export function page(report: Report): string {
  const { date, machine, benches } = report
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    '<title>svc bench, ' +
    escaped(date) +
    '</title><style>' +
    STYLE +
    '</style></head><body><main><h1>svc bench</h1>' +
    configCache(report) +
    verdict(benches) +
    list('Worse than accepted before', report.worse, 'missed') +
    list('Left out', report.left, 'told') +
    list('Still to run', report.pending, 'told') +
    '<nav>' +
    benches
      .map(({ name }) => '<a href="#' + escaped(name) + '">' + escaped(name) + '</a>')
      .join('') +
    '</nav>' +
    benches.map((bench) => section(bench, machine)).join('') +
    '</main></body></html>\n'
  )
}

function configCache({ date, command, machine }: Report): string {
  const { sync } = machine
  const rows: readonly (readonly [string, string])[] = [
    ['date', date],
    ['command', command],
    ['processors', machine.processors + ' × ' + machine.cpu],
    ['memory', machine.memory_gb + ' GB'],
    ['system', 'Linux ' + machine.kernel + ', Node ' + machine.node],
    ['commit', machine.commit + (machine.changed ? ', with changes' : '')],
    [
      'device',
      sync.file_system + ', 4 KiB synced in ' + sync.p50_us + ' µs, p99 ' + sync.p99_us + ' µs',
    ],
    [
      'load before',
      machine.load + (machine.quiet ? '' : ': others were working on it, believe ratios only'),
    ],
  ]
  return (
    '<dl>' +
    rows.map(([name, text]) => '<dt>' + name + '</dt><dd>' + escaped(text) + '</dd>').join('') +
    '</dl>'
  )
}

function verdict(benches: readonly BenchReport[]): string {
  // Invalid figures meet no bound.
  const bounds = benches.flatMap(({ findings: { targets, ratios = [], flaws } }) =>
    [
      ...targets.map((target) => isMet(target.ratio, target)),
      ...ratios.flatMap(({ ratio, bound }) => (bound === null ? [] : isMet(ratio, bound))),
    ].map((kept) => kept && flaws.length === 0),
  )
  const met = bounds.filter((kept) => kept).length
  const invalid = benches.filter(({ findings }) => findings.flaws.length > 0).length
  const good = benches.every(({ findings }) => accepted(findings))
  return (
    '<p class="verdict ' +
    (good ? 'met' : 'missed') +
    '">' +
    met +
    ' of ' +
    bounds.length +
    ' targets met' +
    (invalid === 0 ? '' : ', ' + invalid + ' of ' + benches.length + ' benches invalid') +
    '</p>'
  )
}

function section(
  { name, summary, command, seconds, findings }: BenchReport,
  machine: Machine,
): string {
  const { flaws, lines, curves = [], series = [], stages = [] } = findings
  const charts = [
    ...series.map(seriesChart),
    ...curveCharts(curves),
    ...stages.map(stagesChart),
  ].join('')
  const text = lines.join('\n').replace(/^\n+|\s+$/g, '')
  return (
    '<section id="' +
    escaped(name) +
    '"><h2>' +
    escaped(name) +
    '</h2><p class="soft">' +
    escaped(summary) +
    ' · <code>' +
    escaped(command) +
    '</code> · ' +
    Math.round(seconds) +
    ' s</p>' +
    list('These figures say nothing', flaws, 'missed') +
    ratioBars(findings) +
    (charts === '' ? '' : '<div class="charts">' + charts + '</div>') +
    (text === '' ? '' : '<pre>' + escaped(text) + '</pre>') +
    table(findings, command, machine) +
    '</section>'
  )
}

function list(title: string, sentences: readonly string[], kind: 'missed' | 'told'): string {
  if (sentences.length === 0) return ''
  const items = sentences.map((sentence) => '<li>' + escaped(sentence) + '</li>').join('')
  return (
    '<div class="list is-' +
    kind +
    '"><b class="' +
    kind +
    '">' +
    title +
    '</b><ul>' +
    items +
    '</ul></div>'
  )
}

/** Every figure with its machine, so a line copied from here still names it. */
function table({ figures }: Findings, command: string, machine: Machine): string {
  const rows = flattened(figures)
  if (rows.length === 0) return ''
  const where = machine.commit + (machine.changed ? '+' : '') + ', Node ' + machine.node
  const device = machine.processors + ' × ' + machine.cpu + ', sync ' + machine.sync.p50_us + ' µs'
  const cells = rows.map(
    ({ name, text }) =>
      '<tr><td>' +
      escaped(name) +
      '</td><td class="number">' +
      escaped(text) +
      '</td><td><code>' +
      escaped(command) +
      '</code></td><td>' +
      escaped(device) +
      '</td><td>' +
      escaped(where) +
      '</td></tr>',
  )
  return (
    '<details><summary>Every figure (' +
    rows.length +
    ')</summary><div class="wide"><table><thead><tr><th>figure</th><th>value</th><th>command</th>' +
    '<th>machine</th><th>commit</th></tr></thead><tbody>' +
    cells.join('') +
    '</tbody></table></div></details>'
  )
}
