// `npm run packages`: lists pinned packages that have an advisory, or are behind their latest
// release.
import { execFile } from 'node:child_process'
import { runCommand } from '../shared/command-line.ts'
import { nodeBehind } from '../shared/node-release.ts'
import { type Audit, type Outdated, packagesReport } from './packages/report.ts'

const HELP = `Usage: npm run packages

Asks the registry of npm about the packages in package-lock.json, and lists those with a published
advisory and those behind their latest release. Exit code: 0 no advisory, 1 an advisory or a Node
without its security release, 3 the registry does not tell its advisories.
A bill of materials: npm sbom --sbom-format cyclonedx.`

const EXIT_UNSAFE = 1
const EXIT_UNKNOWN = 3
const OUTPUT_BYTES_MAX = 32 * 1024 * 1024

/** The JSON that a command of npm prints, whatever its exit code; null where it prints none. */
function askNpm<Answer>(...words: string[]): Promise<Answer | null> {
  return new Promise((resolve) => {
    execFile('npm', [...words, '--json'], { maxBuffer: OUTPUT_BYTES_MAX }, (_error, out) => {
      try {
        resolve(JSON.parse(out) as Answer)
      } catch {
        resolve(null)
      }
    })
  })
}

async function main(): Promise<number> {
  const [audit, outdated] = await Promise.all([
    askNpm<Audit>('audit'),
    askNpm<Outdated>('outdated'),
  ])
  const report = packagesReport({
    // A refusal of the registry is JSON too, without the list.
    audit: audit?.vulnerabilities === undefined ? null : audit,
    outdated: outdated ?? {},
    node: nodeBehind(process.version),
  })
  process.stdout.write(report.lines.map((line) => line + '\n').join(''))
  if (report.unsafe > 0) return EXIT_UNSAFE
  return report.isComplete ? 0 : EXIT_UNKNOWN
}

await runCommand({ help: HELP, flags: [], run: main })
