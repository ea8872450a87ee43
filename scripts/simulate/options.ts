// The command line of the simulator: everything is checked here, and every problem is one clear
// sentence.
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Result } from '../../shared/result.ts'
import type { LoadOptions } from './load.ts'
import { SCENARIOS } from './scenarios/catalog.ts'

export const HELP = `The card network simulator: sends signed messages to a running service and checks every answer.

  npm run simulate -- --list                      the sixty scenarios, and every story by name
  npm run simulate -- --scenario NAME             play one, by name or by number; repeat the option, or say "all"
  npm run simulate -- --rate N [--seconds S]      open-loop load of N messages a second

Options
  --seconds S       how long the load lasts (10)
  --connections C   connections of the load (64, over ISO 8583 8)
  --protocol P      protocol of the load: "http", or "iso" for ISO 8583 over TCP (http)
  --realtime R      share of the load on cards whose tenant is asked, 0 to 1 (0)
  --data-dir DIR    data directory of the running service (SVC_DATA_DIR, else .data)
  --json            one JSON document on stdout and nothing else; use it with "npm run --silent"
  --help            this text

Latency counts from the intended send time of a message, so a stall counts for every message it delayed.
Exit codes: 0 every answer as expected; 1 a mismatch; 2 nothing could be sent; 130 interrupted.
`

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
  /** Absolute, or null: the directory from the environment. */
  dataDir: string | null
}

export function parseOptions(argv: readonly string[]): Result<Options, string> {
  const values = readValues(argv)
  if (typeof values === 'string') return problem(values)
  const json = values.json ?? false
  const dataDir = values['data-dir'] === undefined ? null : resolve(values['data-dir'])
  const options = (command: Command): Result<Options, string> => ({
    ok: true,
    value: { command, json, dataDir },
  })
  if (values.help) return options({ kind: 'help' })
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
        'data-dir': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
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
