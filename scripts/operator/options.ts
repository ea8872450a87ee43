// The command line of operators: everything is checked here, and every problem is one clear
// sentence.
import { parseArgs } from 'node:util'
import type { Result } from '../../shared/result.ts'
import type { Document } from './caller.ts'
import { COMMANDS, type Command } from './commands.ts'

/** Options of every command. */
const COMMON = {
  api: { type: 'string' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export interface Where {
  /** Null: the address in sandbox.json or in the settings. */
  apiUrl: string | null
  dataDir: string | null
  json: boolean
}

export type Invocation =
  | { kind: 'help'; text: string }
  | ({ kind: 'bootstrap'; name: string; lost: boolean } & Where)
  | ({ kind: 'command'; command: Command; id: string; given: Document } & Where)

const USAGE = `Runs the calls that only operators of the installation may make.

  npm run operator -- COMMAND [ARGUMENT] [OPTIONS]

`

const ENDING = `
Options of every command
  --api URL        address of the API (default: sandbox.json, else SVC_API_HOST and SVC_API_PORT)
  --data-dir DIR   data directory of the service (default: SVC_DATA_DIR, else .data)
  --json           the API’s answer as JSON; use it with "npm run --silent"
  --help           this text, or the options of one command

  SVC_OPERATOR_KEY  the operator’s credential (default: the one in sandbox.json)
  DATABASE_URL      for bootstrap: the database (default: the database of a running npm start)
`

const BOOTSTRAP = {
  words: 'bootstrap',
  about: 'Writes the first operator into the database and prints the credential, this once.',
  options: {
    name: { type: 'string' },
    lost: { type: 'boolean' },
  },
  help: `  --name NAME  name of the operator (default: First operator)
  --lost       also if operators exist, because all their credentials are lost
`,
} as const

export function parseInvocation(argv: readonly string[]): Result<Invocation, string> {
  if (argv[0] === BOOTSTRAP.words) return bootstrapInput(argv.slice(1))
  const command = COMMANDS.find(({ words }) =>
    words.split(' ').every((word, index) => argv[index] === word),
  )
  if (command !== undefined)
    return commandInvocation(command, argv.slice(command.words.split(' ').length))
  const asked = argv.length === 0 || argv.some((word) => word === '--help' || word === '-h')
  if (asked) return { ok: true, value: { kind: 'help', text: usage() } }
  return problem('There is no command ' + JSON.stringify(spoken(argv)) + '; --help lists them.')
}

/** The words before the first option. */
function spoken(argv: readonly string[]): string {
  const end = argv.findIndex((word) => word.startsWith('-'))
  return argv.slice(0, end === -1 ? argv.length : end).join(' ')
}

function bootstrapInput(rest: readonly string[]): Result<Invocation, string> {
  const { values, positionals } = parseArgs({
    args: [...rest],
    allowPositionals: true,
    options: { ...COMMON, ...BOOTSTRAP.options },
  })
  if (values.help) {
    const text = BOOTSTRAP.words + ': ' + BOOTSTRAP.about + '\n\n' + BOOTSTRAP.help
    return { ok: true, value: { kind: 'help', text } }
  }
  if (positionals.length > 0) return problem('bootstrap takes options only.')
  const { name = 'First operator', lost = false } = values
  return { ok: true, value: { kind: 'bootstrap', name, lost, ...whereOf(values) } }
}

function commandInvocation(command: Command, rest: readonly string[]): Result<Invocation, string> {
  const own = Object.fromEntries(
    Object.keys(command.fields).map((option) => [option, { type: 'string' as const }]),
  )
  const { values, positionals } = parseArgs({
    args: [...rest],
    allowPositionals: true,
    options: { ...own, ...COMMON },
  })
  if (values.help === true) return { ok: true, value: { kind: 'help', text: helpOf(command) } }
  const [id = '', ...others] = positionals
  const wanted = command.names === null ? 0 : 1
  if (positionals.length !== wanted || others.length > 0) {
    return problem(
      command.names === null
        ? command.words + ' takes options only.'
        : 'Give exactly one ' + command.names + ': npm run operator -- ' + lineOf(command),
    )
  }
  const given = fieldsOf(command, values as { readonly [option: string]: unknown })
  if (!given.ok) return given
  const where = whereOf(values as Parameters<typeof whereOf>[0])
  const encoded = encodeURIComponent(id)
  return {
    ok: true,
    value: { kind: 'command', command, id: encoded, given: given.value, ...where },
  }
}

function fieldsOf(
  command: Command,
  values: { readonly [option: string]: unknown },
): Result<Document, string> {
  const given: { [field: string]: unknown } = {}
  for (const [option, { kind, required, about }] of Object.entries(command.fields)) {
    const text = values[option]
    if (text === undefined && required)
      return problem(command.words + ' needs --' + option + ': ' + about + '.')
    if (text === undefined) continue
    if (kind === 'number' && !/^\d{1,9}$/.test(String(text)))
      return problem('--' + option + ' must be a whole number.')
    given[option.replaceAll('-', '_')] = kind === 'number' ? Number(text) : text
  }
  return { ok: true, value: given }
}

function whereOf(values: {
  readonly api?: string | undefined
  readonly 'data-dir'?: string | undefined
  readonly json?: boolean | undefined
}): Where {
  return {
    apiUrl: values.api?.replace(/\/$/, '') ?? null,
    dataDir: values['data-dir'] ?? null,
    json: values.json ?? false,
  }
}

function usage(): string {
  const rows = [
    [BOOTSTRAP.words, BOOTSTRAP.about] as const,
    ...COMMANDS.map((command) => [lineOf(command), command.about] as const),
  ]
  return (
    USAGE + rows.map(([line, about]) => '  ' + line + '\n      ' + about + '\n').join('') + ENDING
  )
}

function helpOf(command: Command): string {
  const options = Object.entries(command.fields)
  const width = Math.max(0, ...options.map(([option]) => option.length))
  const lines = options.map(
    ([option, { required, about }]) =>
      '  --' + option.padEnd(width) + '  ' + about + (required ? ' (required)' : ''),
  )
  return [lineOf(command) + ': ' + command.about, ...(lines.length === 0 ? [] : ['', ...lines])]
    .join('\n')
    .concat('\n')
}

/** The usage of a command, with its required options. */
function lineOf(command: Command): string {
  const required = Object.entries(command.fields)
    .filter(([, field]) => field.required)
    .map(([option]) => '--' + option + ' …')
  return [command.words, ...(command.names === null ? [] : [command.names]), ...required].join(' ')
}

function problem(sentence: string): Result<never, string> {
  return { ok: false, error: sentence }
}
