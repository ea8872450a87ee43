// How a command begins and ends: a mistyped option is refused, not ignored, and a failure is a
// sentence on stderr.

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/**
 * Returns null when the command should run; else the exit code, after printing the usage or a
 * sentence about an unknown option. `flags` are the known options.
 */
export function usageExit(usage: () => string, flags: readonly string[] = []): number | null {
  const words = process.argv.slice(2).filter((word) => !flags.includes(word))
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(usage().trimEnd() + '\n')
    return 0
  }
  const [unknown] = words
  if (unknown === undefined) return null
  process.stderr.write(
    'Unknown option ' + JSON.stringify(unknown) + '; --help shows what there is.\n',
  )
  return EXIT_USAGE
}

/** Prints the sentence and returns the exit code of a command that could not do its work. */
export function refuse(sentence: string): number {
  process.stderr.write(sentence + '\n')
  return EXIT_FAILED
}

/**
 * Runs a command to its exit code. An error it throws is printed as a sentence, never as a stack.
 */
export async function runCommand(main: () => Promise<number>): Promise<void> {
  // A reader that closes the pipe early, as `| head` does, has all the lines it wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  try {
    process.exitCode = await main()
  } catch (error) {
    process.exitCode = refuse(error instanceof Error ? error.message : String(error))
  }
}
