// Accepted figures: `node bench/accept.ts bench/results/<date>.json` copies the figures of a run
// into accepted.json, a bench at a time, and writes the table of bench/README.md from it. A bench
// without a figure is not accepted; a bench that did not run keeps its row, unless another bench
// has that row now.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { boundText, isMet } from './measured.ts'
import type { BenchReport, Report } from './report/page.ts'
import { shown } from './report/text.ts'

const ACCEPTED = new URL('accepted.json', import.meta.url)
const README = new URL('README.md', import.meta.url)
const BEGIN = '<!-- measured -->'
const END = '<!-- /measured -->'

export interface AcceptedBench {
  bench: string
  command: string
  /** Where and when: commit, machine, Node, the device's sync time. */
  measured: string
  rows: readonly { what: string; figures: string; wanted: string }[]
}

/**
 * Returns the benches of the run that have valid figures, and for the others the accepted ones of
 * before; in the order of the run, then of before.
 */
export function acceptedAfter(
  before: readonly AcceptedBench[],
  report: Pick<Report, 'benches' | 'machine' | 'date'>,
): AcceptedBench[] {
  const fresh = report.benches
    .filter(({ findings }) => findings.flaws.length === 0)
    .map((one) => acceptedOf(one, report))
    .filter(({ rows }) => rows.length > 0)
  const known = new Set(fresh.map(({ bench }) => bench))
  const said = new Set(fresh.flatMap(({ rows }) => rows.map(({ what }) => what)))
  const kept = before
    .filter(({ bench }) => !known.has(bench))
    .map((one) => ({ ...one, rows: one.rows.filter(({ what }) => !said.has(what)) }))
  return [...fresh, ...kept]
}

function acceptedOf(
  { name, command, findings: { ratios = [], targets } }: BenchReport,
  { machine, date }: Pick<Report, 'machine' | 'date'>,
): AcceptedBench {
  const { commit, changed, node, processors, cpu, sync, quiet } = machine
  return {
    bench: name,
    command: command.replace('npm run bench ', ''),
    measured: [
      date.slice(0, 10),
      commit + (changed ? ' with changes' : ''),
      'Node ' + node,
      processors + ' × ' + cpu,
      'a sync ' + sync.p50_us + ' µs',
      ...(quiet ? [] : ['others at work']),
    ].join(', '),
    rows: [
      ...ratios.flatMap(({ sentence: what, ratio, ours, theirs, unit, bound }) =>
        bound === null
          ? []
          : [
              {
                what,
                figures:
                  shown(ratio) + ' (' + shown(ours) + ' : ' + shown(theirs) + ' ' + unit + ')',
                wanted: boundText(bound) + missed(isMet(ratio, bound)),
              },
            ],
      ),
      ...targets.map((target) => ({
        what: target.sentence,
        figures: shown(target.ratio),
        wanted: boundText(target) + missed(isMet(target.ratio, target)),
      })),
    ],
  }
}

function missed(met: boolean): string {
  return met ? '' : ', missed'
}

/**
 * Returns the README with the table of accepted figures, and below it the machine of each bench.
 */
export function withMeasured(readme: string, accepted: readonly AcceptedBench[]): string {
  const rows = accepted.flatMap(({ command, rows: own }) =>
    own.map(({ what, figures, wanted }) => [what, figures, wanted, '`' + command + '`']),
  )
  const places = Map.groupBy(accepted, ({ measured }) => measured)
  const table = [
    '',
    '| | ours : theirs | wanted | |',
    '|---|---|---|---|',
    ...rows.map((cells) => '| ' + cells.join(' | ') + ' |'),
    '',
    ...[...places].map(
      ([place, benches]) => benches.map(({ bench }) => bench).join(', ') + ': ' + place + '.',
    ),
    '',
  ].join('\n')
  const [before, rest] = [readme.indexOf(BEGIN) + BEGIN.length, readme.indexOf(END)]
  return readme.slice(0, before) + table + readme.slice(rest)
}

/** Reads accepted.json. */
export function readAccepted(): AcceptedBench[] {
  return JSON.parse(readFileSync(ACCEPTED, 'utf8')) as AcceptedBench[]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file] = process.argv.slice(2)
  const report = file === undefined ? null : (JSON.parse(readFileSync(file, 'utf8')) as Report)
  const accepted = report === null ? readAccepted() : acceptedAfter(readAccepted(), report)
  writeFileSync(ACCEPTED, JSON.stringify(accepted, null, 2) + '\n')
  writeFileSync(README, withMeasured(readFileSync(README, 'utf8'), accepted))
}
