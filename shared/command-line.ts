// The command line of a process that takes no arguments but --help: a mistyped option is refused, not ignored.

const EXIT_USAGE = 2

/** Null when the command should run; else the exit code, after the usage or a sentence about what it does not know. */
export function usageExit(usage: () => string): number | null {
  const words = process.argv.slice(2)
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
