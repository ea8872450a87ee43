// forge, the test runner of the contracts: an optional dependency, a binary for Linux x64.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../structure/sources.ts'

/** The contracts' folder below the root. */
export const CONTRACTS = 'api/payments/contracts'
const FORGE = join(ROOT, 'node_modules/@foundry-rs/forge-linux-amd64/bin/forge')
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** False where npm left the binary out. */
export const hasForge: boolean = existsSync(FORGE)

/** Runs every test of the contracts in `folder`, offline. */
export function runForge(
  folder: string,
  environment: { readonly [name: string]: string } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      FORGE,
      ['test'],
      { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: OUTPUT_BYTES_MAX },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
    )
  })
}
