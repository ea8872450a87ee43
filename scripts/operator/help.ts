// The help of operators: the list of commands, or the options of the command that is named.
import { COMMANDS, type Command } from './commands.ts'

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

/** The help of the named command, else the list of commands. */
export function helpFor(argv: readonly string[]): string {
  if (argv[0] === BOOTSTRAP.words)
    return BOOTSTRAP.words + ': ' + BOOTSTRAP.about + '\n\n' + BOOTSTRAP.help
  const command = commandOf(argv)
  return command === undefined ? usage() : helpOf(command)
}

/** The command that these words begin with. */
export function commandOf(argv: readonly string[]): Command | undefined {
  return COMMANDS.find(({ words }) => words.split(' ').every((word, index) => argv[index] === word))
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
export function lineOf(command: Command): string {
  const required = Object.entries(command.fields)
    .filter(([, field]) => field.required)
    .map(([option]) => '--' + option + ' …')
  return [command.words, ...(command.names === null ? [] : [command.names]), ...required].join(' ')
}
