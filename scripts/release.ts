// `npm run release`: checks that a release may go out, prints its notes, and keeps its documents of
// the API for the next comparison.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../shared/command-line.ts'
import { releaseNotes, releaseProblems } from './release/notes.ts'

const [NOTES, WRITE] = ['--notes', '--write']
const HELP = `Usage: npm run release [-- ${NOTES} | ${WRITE}]

Compares the API with the documents of the last release (api/documents/released), and exits
with 1 where a difference breaks clients and accepted.json does not give its reason, or where
the changelog has no entry.

Options:
  ${NOTES}  prints the notes of the release: changelog, breaks, additions to the API
  ${WRITE}  makes the present documents those of the release`

const CHANGELOG = join(import.meta.dirname, '../CHANGELOG.md')

/** The exit code. */
async function main(): Promise<number> {
  const released = await import('../api/documents/released.ts')
  const { ROUTES } = await import('../api/routes.ts')
  const release = {
    changelog: readFileSync(CHANGELOG, 'utf8'),
    changes: released.changesSinceRelease(ROUTES),
    accepted: released.acceptedBreaks(),
  }
  const problems = releaseProblems(release)
  process.stderr.write(problems.map((problem) => problem + '\n').join(''))
  if (problems.length > 0) return 1
  if (process.argv.includes(WRITE)) released.writeRelease(ROUTES)
  if (process.argv.includes(NOTES)) process.stdout.write(releaseNotes(release))
  return 0
}

await runCommand({ help: HELP, flags: [NOTES, WRITE], run: main })
