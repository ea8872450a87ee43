// The command line of the simulator: everything is checked here, and every problem is one clear
// sentence.
import { parseArgs } from 'node:util'
import type { Result } from '../../shared/result.ts'
import type { LoadOptions } from './load.ts'
import { type Located, NETWORK_OPTIONS } from './locate.ts'
import { SCENARIOS } from './scenarios/catalog.ts'

const RATE_MAX = 100_000
const SECONDS_MAX = 3600
const CONNECTIONS_MAX = 4096
/** The port takes no more of them. */
const LINKS_MAX = 64
const CONNECTIONS = { http: '64', iso: '8' } as const

export type Command =
  | { kind: 'help' }
  | { kind: 'list' }
  | {
      kind: 'run'
      scenarios: readonly string[]
      load: LoadCommand | null
    }

export interface LoadCommand extends LoadOptions {
  protocol: 'http' | 'iso'
}

export interface Options {
  command: Command
  json: boolean
  /** Options that say where the service is. */
  located: Located
}

export function parseOptions(argv: readonly string[]): Result<Options, string> {
  const values = readValues(argv)
  if (typeof values === 'string') return problem(values)
  const json = values.json ?? false
  const options = (command: Command): Result<Options, string> => ({
    ok: true,
    value: { command, json, located: values },
  })
  if (values.list) return options({ kind: 'list' })
  const scenarios = scenarioNames(values.scenario ?? [])
  if (!scenarios.ok) return scenarios
  const load = loadOptions(values)
  if (!load.ok) return load
  if (scenarios.value.length === 0 && load.value === null) return options({ kind: 'help' })
  return options({ kind: 'run', scenarios: scenarios.value, load: load.value })
}

/** Returns the values, or a sentence about an unknown option. */
function readValues(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        list: { type: 'boolean' },
        scenario: { type: 'string', multiple: true },
        rate: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        protocol: { type: 'string' },
        realtime: { type: 'string' },
        ...NETWORK_OPTIONS,
        json: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function scenarioNames(asked: readonly string[]): Result<string[], string> {
  const known = SCENARIOS.map(({ name }) => name)
  const chosen = new Set<string>()
  for (const text of asked) {
    const names = text === 'all' ? known : namesOf(text)
    if (names.length === 0)
      return problem('There is no scenario ' + JSON.stringify(text) + '; --list shows them.')
    for (const name of names) chosen.add(name)
  }
  return { ok: true, value: [...chosen] }
}

/** The story of this name, or the stories that play this one of the sixty. */
function namesOf(text: string): string[] {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : null
  return SCENARIOS.filter(({ name, covers = [] }) =>
    number === null ? name === text : covers.includes(number),
  ).map(({ name }) => name)
}

interface LoadTexts {
  rate?: string | undefined
  seconds?: string | undefined
  connections?: string | undefined
  protocol?: string | undefined
  realtime?: string | undefined
}

function loadOptions(texts: LoadTexts): Result<LoadCommand | null, string> {
  if (texts.rate === undefined) {
    const orphan = (['seconds', 'connections', 'protocol', 'realtime'] as const).find(
      (name) => texts[name] !== undefined,
    )
    return orphan === undefined
      ? { ok: true, value: null }
      : problem('--' + orphan + ' needs --rate: it describes a load.')
  }
  const ratePerS = numberIn(texts.rate, 0.1, RATE_MAX)
  const seconds = numberIn(texts.seconds ?? '10', 0.1, SECONDS_MAX)
  const protocol = texts.protocol ?? 'http'
  if (protocol !== 'http' && protocol !== 'iso')
    return problem('--protocol must be "http" or "iso".')
  const connectionsMax = protocol === 'iso' ? LINKS_MAX : CONNECTIONS_MAX
  const connections = numberIn(texts.connections ?? CONNECTIONS[protocol], 1, connectionsMax)
  const realtimeShare = numberIn(texts.realtime ?? '0', 0, 1)
  if (ratePerS === null) return problem('--rate must be a number from 0.1 to ' + RATE_MAX + '.')
  if (seconds === null)
    return problem('--seconds must be a number from 0.1 to ' + SECONDS_MAX + '.')
  if (connections === null || !Number.isInteger(connections))
    return problem('--connections must be a whole number from 1 to ' + connectionsMax + '.')
  if (realtimeShare === null) return problem('--realtime must be a share from 0 to 1.')
  return { ok: true, value: { ratePerS, seconds, connections, realtimeShare, protocol } }
}

function numberIn(text: string, low: number, high: number): number | null {
  const value = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  return value >= low && value <= high ? value : null
}

function problem(error: string): { ok: false; error: string } {
  return { ok: false, error }
}
