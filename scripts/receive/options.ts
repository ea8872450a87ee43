// The command line of the receiver: everything is checked here, and a problem is one clear
// sentence.
import { parseArgs } from 'node:util'
import type { Result } from '../../shared/result.ts'

const PORT_MAX = 65_535
const FAILURES_MAX = 1_000_000
const DELAY_MS_MAX = 600_000
const TOLERANCE_S_MAX = 600

export interface ReceiveOptions {
  secrets: readonly string[]
  /** 0: any free one. */
  port: number
  /** The number of first deliveries that are answered with 500. */
  failures: number
  hangs: boolean
  delayMs: number
  toleranceS: number
  /** The reason with which questions about authorizations are declined; null: they are approved. */
  declines: string | null
}

/** Returns the options, null for the help, or a sentence about the first problem. */
export function parseReceiveOptions(argv: readonly string[]): Result<ReceiveOptions, string> {
  const values = readValues(argv)
  if (typeof values === 'string') return { ok: false, error: values }
  const secrets = values.secret ?? []
  if (secrets.length === 0 || secrets.includes(''))
    return { ok: false, error: 'Give the secret that the endpoint signs with: --secret whsec_…' }
  const problems: string[] = []
  const number = (name: string, text: string, most: number): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
    if (value < 0 || value > most)
      problems.push('--' + name + ' must be a whole number from 0 to ' + most + '.')
    return value
  }
  const options = {
    secrets,
    port: number('port', values.port, PORT_MAX),
    failures: number('fail', values.fail, FAILURES_MAX),
    hangs: values.hang,
    delayMs: number('delay', values.delay, DELAY_MS_MAX),
    toleranceS: number('tolerance', values.tolerance, TOLERANCE_S_MAX),
    declines: values.decline ?? null,
  }
  return problems.length === 0
    ? { ok: true, value: options }
    : { ok: false, error: problems.join('\n') }
}

/** Returns the values, or a sentence about an unknown option. */
function readValues(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        secret: { type: 'string', multiple: true },
        port: { type: 'string', default: '0' },
        fail: { type: 'string', default: '0' },
        hang: { type: 'boolean', default: false },
        delay: { type: 'string', default: '0' },
        tolerance: { type: 'string', default: '300' },
        decline: { type: 'string' },
      },
    }).values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
