// An installation with an operator that calls the API and the command line.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Answer, startTestApi, type TestApi } from './api.ts'
import { COMPILED } from './compiled.ts'
import { seedOperator } from './operator.ts'

export interface Installation extends TestApi {
  operator: string
  /** Calls as an operator; the path is below /operator/v1. */
  operate(method: string, path: string, body?: unknown): Promise<Answer>
}

export async function openInstallation(
  more: Parameters<typeof startTestApi>[0] = {},
): Promise<Installation> {
  return installed(await startTestApi(more))
}

/** Gives a service of a test an operator. */
export async function installed(api: TestApi): Promise<Installation> {
  const operator = await seedOperator(api.sql)
  return {
    ...api,
    operator,
    operate: (method, path, body) =>
      api.call(method, '/operator/v1' + path, {
        key: operator,
        ...(body !== undefined && { body }),
      }),
  }
}

const SCRIPT = fileURLToPath(new URL('../../scripts/operator.ts', import.meta.url))

/** Runs the command line with these settings only; returns its exit code and its output. */
export function runOperator(
  settings: { [name: string]: string },
  ...words: string[]
): Promise<{ code: number | null; out: string; problem: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [SCRIPT, ...words],
      { env: { ...COMPILED, ...settings } },
      (_error, out, problem) => resolve({ code: child.exitCode, out, problem }),
    )
  })
}
