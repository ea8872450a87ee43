// `npm run bench [name…]`: measures this machine's copy beside what a user would pick instead, writes the figures to
// bench/results/, and fails where a target is missed.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { refuse, runCommand } from '../shared/command-line.ts'
import { API } from './api.ts'
import { DELIVERY } from './delivery.ts'
import type { Findings, Measured } from './measured.ts'
import { SCREENING } from './screening.ts'
import { SIGNING } from './signing.ts'

const ALL: readonly Measured[] = [API, DELIVERY, SCREENING, SIGNING]
const RESULTS = new URL('results/', import.meta.url)
/** Load of the machine, per processor, above which somebody else is working on it. */
const QUIET_LOAD_MAX = 0.25

const HELP = `Usage: npm run bench [-- name… --quick]

Measures, in turns with a peer that does the same work, so that the noise of the machine hits both;
what is claimed are the ratios. Figures go to bench/results/, a file per run.

${ALL.map(({ name, summary }) => '  ' + name.padEnd(10) + summary).join('\n')}

  --quick    fewer and shorter pairs, under a minute
  --help     this text

Exit code 1 where a target is missed.
`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const unknown = positionals.find((name) => !ALL.some((measured) => measured.name === name))
  if (unknown !== undefined) return refuse('There is no bench called ' + unknown + '; see --help.')
  const chosen = ALL.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const machine = describeMachine()
  say(machine.sentence)
  const findings: { [name: string]: Findings } = {}
  for (const measured of chosen) {
    findings[measured.name] = await measured.run({ quick: values.quick === true, log: say })
    show(findings[measured.name] as Findings)
  }
  say(
    '\n' +
      keep({ command: 'npm run bench -- ' + process.argv.slice(2).join(' '), machine, findings }),
  )
  return Object.values(findings).every(accepted) ? 0 : 1
}

function accepted({ targets, flaws }: Findings): boolean {
  return flaws.length === 0 && targets.every(({ ratio, atMost }) => ratio <= atMost)
}

function show({ lines, targets, flaws }: Findings): void {
  for (const line of lines) say(line)
  for (const { sentence, ratio, atMost } of targets)
    say(
      (ratio <= atMost ? 'met     ' : 'MISSED  ') +
        sentence +
        ': ' +
        ratio +
        ' (at most ' +
        atMost +
        ')',
    )
  for (const flaw of flaws) say('INVALID ' + flaw)
}

function describeMachine() {
  const load = loadavg()[0] ?? 0
  const facts = {
    cpu: cpus()[0]?.model ?? 'unknown',
    processors: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: git('rev-parse', '--short', 'HEAD'),
    changed: git('status', '--porcelain', '--', 'api', 'engine', 'shared', 'bench') !== '',
    load,
    quiet: load / cpus().length <= QUIET_LOAD_MAX,
  }
  const state = facts.quiet ? '' : '; others are working on it: believe ratios only'
  const commit = facts.commit + (facts.changed ? ' with changes' : '')
  return {
    ...facts,
    sentence: facts.processors + ' × ' + facts.cpu + ', Node ' + facts.node + ', ' + commit + state,
  }
}

function git(...words: string[]): string {
  try {
    return execFileSync('git', words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}

function keep(result: object): string {
  mkdirSync(RESULTS, { recursive: true })
  const date = new Date().toISOString()
  const file = new URL(date.replaceAll(':', '-') + '.json', RESULTS)
  writeFileSync(file, JSON.stringify({ date, ...result }, null, 2) + '\n')
  return 'Written to bench/results/' + file.pathname.split('/').at(-1)
}

function say(text: string): void {
  process.stdout.write(text + '\n')
}

await runCommand(main)
