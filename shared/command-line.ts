// How a command begins and ends. Its help is printed before anything heavy is loaded, a mistyped
// option is refused, not ignored, and a failure is a sentence on stderr.

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/** How a command's `run` asks for the help to be printed. */
export const SHOW_HELP = 'help'

export interface CommandHelp {
  /** The text of `--help`, or the function that finds it. */
  help: string | (() => string | Promise<string>)
  /** Given where the command reads no other option: every other word is refused. */
  flags?: readonly string[]
}

export interface Command extends CommandHelp {
  /**
   * Returns the exit code. Imports what the command needs, so that `--help` loads none of it. A
   * rejection is printed as a sentence.
   */
  run(): Promise<number | typeof SHOW_HELP>
}

/**
 * True when the command should run; else the help, or a sentence about what it does not know, was
 * printed and the exit code is set.
 */
export async function shouldRun({ help, flags }: CommandHelp): Promise<boolean> {
  const words = process.argv.slice(2)
  if (words.includes('--help') || words.includes('-h')) {
    await printHelp(help)
    return false
  }
  const unknown = flags && words.find((word) => !flags.includes(word))
  if (unknown === undefined) return true
  process.stderr.write(
    'Unknown option ' + JSON.stringify(unknown) + '; --help shows what there is.\n',
  )
  process.exitCode = EXIT_USAGE
  return false
}

async function printHelp(help: CommandHelp['help']): Promise<void> {
  const text = typeof help === 'string' ? help : await help()
  process.stdout.write(text.trimEnd() + '\n')
}

/** Prints the sentence and returns the exit code of a command that could not do its work. */
export function refuse(sentence: string): number {
  process.stderr.write(sentence + '\n')
  return EXIT_FAILED
}

/** Runs a command to its exit code; an error it throws is printed as a sentence, no stack. */
export async function runCommand(command: Command): Promise<void> {
  // A reader of only the first lines, such as `| head`, closes the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  if (!(await shouldRun(command))) return
  try {
    const code = await command.run()
    if (code === SHOW_HELP) await printHelp(command.help)
    else process.exitCode = code
  } catch (error) {
    process.exitCode = refuse(error instanceof Error ? error.message : String(error))
  }
}
