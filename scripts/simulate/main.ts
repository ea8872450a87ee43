// npm run simulate: the card network simulator against a running service. Parses, runs, prints, and
// exits non-zero when an answer was not as expected. Everything it does is in simulate/.
import { systemClock } from '../../shared/clock.ts'
import { SHOW_HELP } from '../../shared/command-line.ts'
import { type LoadReport, runLoad } from './load.ts'
import { locateService } from './locate.ts'
import { targetOf } from './message.ts'
import { type Command, type Options, parseOptions } from './options.ts'
import { openProgress, type Progress, silentProgress } from './progress.ts'
import { serviceProblem } from './reachable.ts'
import { renderList, renderLoad, renderScenario, renderScenarioSummary } from './report.ts'
import { runScenarios, type ScenarioReport } from './run-scenarios.ts'
import { cardsOf, type Surroundings } from './sandbox.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios/catalog.ts'
import { theSixty } from './scenarios/sixty.ts'

const EXIT_MISMATCH = 1
const EXIT_NOTHING_SENT = 2
const EXIT_INTERRUPTED = 130

type Run = Extract<Command, { kind: 'run' }>

interface Session {
  surroundings: Surroundings
  progress: Progress
  signal: AbortSignal
}

export async function main(): Promise<number | typeof SHOW_HELP> {
  const options = parseOptions(process.argv.slice(2))
  if (!options.ok) return refuse(options.error)
  const { command, json } = options.value
  if (command.kind === 'help') return SHOW_HELP
  if (command.kind === 'list') {
    const sixty = theSixty(SCENARIOS)
    const scenarios = SCENARIOS.map(({ name, story, covers = [] }) => ({ name, story, covers }))
    const list = JSON.stringify({ sixty, scenarios }, null, 2) + '\n'
    return print(json ? list : renderList(sixty, SCENARIOS))
  }
  const surroundings = await findService(options.value)
  if (typeof surroundings === 'string') return refuse(surroundings)
  return run(command, json, surroundings)
}

async function findService(options: Options): Promise<Surroundings | string> {
  const surroundings = await locateService(options.located)
  if (!surroundings.ok) return surroundings.error
  const { sandbox } = surroundings.value
  if (wantsIso(options.command) && !sandbox.engine_iso)
    return 'No ISO 8583 port is known of this service; name it with --iso HOST:PORT.'
  return (await serviceProblem(sandbox.engine_url)) ?? surroundings.value
}

function chosen(names: readonly string[]): Scenario[] {
  return SCENARIOS.filter(({ name }) => names.includes(name))
}

function wantsIso(command: Command): boolean {
  return command.kind === 'run' && command.load?.protocol === 'iso'
}

async function run(command: Run, json: boolean, surroundings: Surroundings): Promise<number> {
  const interrupted = new AbortController()
  // The first Ctrl-C lets the scenario undo its changes; a second one ends the process at once.
  process.once('SIGINT', () => interrupted.abort())
  process.once('SIGTERM', () => interrupted.abort())
  const progress = json ? silentProgress : openProgress(process.stdout, systemClock)
  const session: Session = { surroundings, progress, signal: interrupted.signal }
  const scenarios = await playScenarios(command, session)
  const load =
    command.load === null || interrupted.signal.aborted ? null : await sendLoad(command, session)
  const failed =
    scenarios.some(({ passed }) => !passed) || (load !== null && load.mismatches.count > 0)
  if (json) print(JSON.stringify({ ok: !failed, scenarios, load }, null, 2) + '\n')
  if (interrupted.signal.aborted) return EXIT_INTERRUPTED
  return failed ? EXIT_MISMATCH : 0
}

async function playScenarios(command: Run, session: Session): Promise<ScenarioReport[]> {
  const { progress } = session
  const scenarios = chosen(command.scenarios)
  if (scenarios.length === 0) return []
  const reports = await runScenarios({
    ...session,
    scenarios,
    clock: systemClock,
    onBegin: (scenario, index) => progress.show(index / scenarios.length, scenario.name),
    onEnd: (report) => progress.say(renderScenario(report)),
  })
  progress.end()
  progress.say('\n' + renderScenarioSummary(reports))
  return reports
}

async function sendLoad(command: Run, session: Session): Promise<LoadReport | null> {
  const { progress, signal, surroundings } = session
  if (command.load === null) return null
  const { sandbox, secrets } = surroundings
  const report = await runLoad({
    target: targetOf(sandbox.engine_url),
    credentials: sandbox.network,
    ...(sandbox.engine_iso && command.load.protocol === 'iso' && { iso: sandbox.engine_iso }),
    plainCards: cardsOf(secrets, 'load_plain'),
    realtimeCards: cardsOf(secrets, 'load_realtime'),
    options: command.load,
    clock: systemClock,
    signal,
    onProgress: ({ sent, answered, count }) =>
      progress.show(sent / count, sent + ' sent, ' + (sent - answered) + ' waiting'),
  })
  progress.end()
  progress.say(renderLoad(report))
  return report
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function refuse(sentence: string): number {
  process.stderr.write(sentence + '\n')
  return EXIT_NOTHING_SENT
}
