// The command line of operators: everything is checked here, and every problem is one clear
// sentence.
import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Result } from '../../shared/result.ts'
import type { Command, Document } from './caller.ts'
import { BOOTSTRAP, commandOf, lineOf, NETWORK_KEY, names } from './help.ts'

/** Options of every command. */
const COMMON = {
  api: { type: 'string' },
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
} as const

const DOCUMENT_BYTES_MAX = 65_536

export interface Where {
  /** Null: the address in sandbox.json or in the settings. */
  apiUrl: string | null
  dataDir: string | null
  json: boolean
}

export type Invocation =
  | { kind: 'help' }
  | ({ kind: 'bootstrap'; name: string; lost: boolean; second: boolean } & Where)
  | ({ kind: 'network key'; network: string; environment: string } & Where)
  | ({ kind: 'command'; command: Command; id: string; given: Document } & Where)

export function parseInvocation(argv: readonly string[]): Result<Invocation, string> {
  if (argv[0] === BOOTSTRAP.words) return bootstrapInput(argv.slice(1))
  if (names(NETWORK_KEY, argv)) return networkKeyInput(argv.slice(2))
  const command = commandOf(argv)
  if (command !== undefined)
    return commandInvocation(command, argv.slice(command.words.split(' ').length))
  if (argv.length === 0) return { ok: true, value: { kind: 'help' } }
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
  if (positionals.length > 0) return problem('bootstrap takes options only.')
  const { lost = false, second = false } = values
  const { name = second ? 'Second operator' : 'First operator' } = values
  return { ok: true, value: { kind: 'bootstrap', name, lost, second, ...whereOf(values) } }
}

function networkKeyInput(rest: readonly string[]): Result<Invocation, string> {
  const { values } = parseArgs({ args: [...rest], options: { ...COMMON, ...NETWORK_KEY.options } })
  const { network, environment } = values
  if (network === undefined || environment === undefined)
    return problem(NETWORK_KEY.words + ' needs --network and --environment.')
  return { ok: true, value: { kind: 'network key', network, environment, ...whereOf(values) } }
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
    if (kind === 'number' && !/^-?\d{1,15}$/.test(String(text)))
      return problem('--' + option + ' must be a whole number.')
    const value = kind === 'document' ? documentIn(option, String(text)) : { ok: true as const }
    if (!value.ok) return value
    const field = option.replaceAll('-', '_')
    given[field] = 'value' in value ? value.value : kind === 'number' ? Number(text) : text
  }
  return { ok: true, value: given }
}

/** The JSON object in a file; the API checks its fields. */
function documentIn(option: string, path: string): Result<Document, string> {
  let text: string
  try {
    if (statSync(path).size > DOCUMENT_BYTES_MAX)
      return problem('--' + option + ' names a file of more than 64 KB.')
    text = readFileSync(path, 'utf8')
  } catch {
    return problem('--' + option + ' names a file that cannot be read: ' + path + '.')
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ok: true, value: value as Document }
  } catch {}
  return problem('--' + option + ' names a file that holds no JSON object: ' + path + '.')
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

function problem(sentence: string): Result<never, string> {
  return { ok: false, error: sentence }
}
