// The help of operators: the list of commands, or the options of the command that is named.
import type { Command } from './caller.ts'
import { COMMANDS } from './commands.ts'

const USAGE = `Runs the calls that only operators of the installation may make.

  npm run operator -- COMMAND [ARGUMENT] [OPTIONS]

`

const ENDING = `
Options of every command
  --api URL        address of the API (default: sandbox.json, else SVC_API_HOST and SVC_API_PORT, or with
                   SVC_API_TLS_CERT SVC_PUBLIC_URL, because the certificate has to name the address)
  --data-dir DIR   data directory of the service (default: SVC_DATA_DIR, else .data)
  --json           the API’s answer as JSON; use it with "npm run --silent"
  --help           this text, or the options of one command

  SVC_OPERATOR_KEY  the operator’s credential (default: the one in sandbox.json)
  DATABASE_URL      for bootstrap and network-keys: the database (default: that of a running npm start)
`

export const BOOTSTRAP = {
  words: 'bootstrap',
  about: 'Writes the first operator into the database and prints the credential, this once.',
  options: {
    name: { type: 'string' },
    lost: { type: 'boolean' },
    second: { type: 'boolean' },
  },
  help: `  --name NAME  name of the operator (default: First operator)
  --lost       also if operators exist, because all their credentials or passkeys
               are lost; ends the links of their persons
  --second     beside the one operator there is: in an installation that serves live, each
               call that makes a credential needs two
`,
} as const

export const NETWORK_KEY = {
  words: 'network-keys issue',
  about: 'Writes the key of a card network into the database and prints its secret, this once.',
  options: {
    network: { type: 'string' },
    environment: { type: 'string' },
  },
  help: `  --network NAME      name of the network (required)
  --environment NAME  live or sandbox; a network belongs to one of them (required)

  An engine decides nothing before the first key. SVC_MASTER_KEY, or master.key in the data
  directory, seals the secret.
`,
} as const

/** Commands that write into the database, because no call of the API can. */
const LOCAL = [BOOTSTRAP, NETWORK_KEY] as const

/** True where the words begin with those of the command. */
export function names({ words }: { words: string }, argv: readonly string[]): boolean {
  return words.split(' ').every((word, index) => argv[index] === word)
}

/** The help of the named command, else the list of commands. */
export function helpFor(argv: readonly string[]): string {
  const local = LOCAL.find((command) => names(command, argv))
  if (local !== undefined) return local.words + ': ' + local.about + '\n\n' + local.help
  const command = commandOf(argv)
  return command === undefined ? usage() : helpOf(command)
}

/** The command that these words begin with. */
export function commandOf(argv: readonly string[]): Command | undefined {
  return COMMANDS.find((command) => names(command, argv))
}

function usage(): string {
  const rows = [
    ...LOCAL.map(({ words, about }) => [words, about] as const),
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
export function lineOf(command: Command): string {
  const required = Object.entries(command.fields)
    .filter(([, field]) => field.required)
    .map(([option]) => '--' + option + ' …')
  return [command.words, ...(command.names === null ? [] : [command.names]), ...required].join(' ')
}
