// The settler's own metrics and readiness, on loopback: counts only, never names.
import type { Server } from 'node:http'
import { METRICS_TYPE, valueLines } from '../../../shared/metric-text.ts'
import { observeProcess } from '../../../shared/process-metrics.ts'
import type { Result } from '../../../shared/result.ts'
import { JSON_TYPE, type MetricsAddress, openMetricsPort } from '../../http/metrics-port.ts'

/** Counts of one line since the process began. */
export interface LineCounts {
  chainId: number
  /** True while this process leads the chain. */
  leads: boolean
  /** The reasons not to send anything to the chain. */
  problems: readonly string[]
  /** The reason that settling stands still; null: it goes on. */
  stopped: string | null
  inFlight: number
  completed: number
  failed: number
  sends: number
  reorgs: number
  disagreements: number
  /** Looks at a transaction that waits at the fee cap. */
  atCap: number
  /** Open differences between ledger and chain. */
  exceptions: number
  /** The last finalized block at which ledger and chain were compared. */
  comparedBlock: number
  /** Signatures that the signer refused or did not give. */
  signerFailures: number
}

export function newCounts(chainId: number): LineCounts {
  return {
    ...{ chainId, leads: false, problems: [], stopped: null, inFlight: 0, completed: 0, failed: 0 },
    ...{ sends: 0, reorgs: 0, disagreements: 0, atCap: 0, signerFailures: 0 },
    ...{ exceptions: 0, comparedBlock: 0 },
  }
}

/** Why a settler is not ready; null when each of its chains is settled by it or by another one. */
export function unready(lines: readonly LineCounts[]): string | null {
  const [first] = lines.flatMap(({ chainId, problems, stopped }) => [
    ...problems.map((problem) => 'chain ' + chainId + ': ' + problem),
    ...(stopped === null ? [] : ['chain ' + chainId + ': settling stopped, ' + stopped]),
  ])
  return first ?? null
}

const NUMBERS = [
  ['svc_settlements_in_flight', 'gauge', 'Transactions that are not final.', 'inFlight'],
  ['svc_batches_completed_total', 'counter', 'Batches that landed.', 'completed'],
  ['svc_batches_failed_total', 'counter', 'Batches that failed.', 'failed'],
  ['svc_chain_sends_total', 'counter', 'Sends of stored bytes.', 'sends'],
  ['svc_chain_reorgs_total', 'counter', 'Batches whose block was replaced.', 'reorgs'],
  ['svc_rpc_disagreements_total', 'counter', 'Answers that differ between RPCs.', 'disagreements'],
  ['svc_fee_cap_waits_total', 'counter', 'Looks at a transaction at the fee cap.', 'atCap'],
  ['svc_signer_failures_total', 'counter', 'Signatures not given.', 'signerFailures'],
  ['svc_ledger_exceptions', 'gauge', 'Open differences of ledger and chain.', 'exceptions'],
  ['svc_ledger_compared_block', 'gauge', 'Last block compared with the ledger.', 'comparedBlock'],
] as const

/** Listens, or returns one sentence why the port is unavailable. */
export function openSettlerMetrics(
  at: MetricsAddress,
  lines: readonly LineCounts[],
  watch: { readonly reason: string | null },
): Promise<Result<Server, string>> {
  const processLines = observeProcess()
  return openMetricsPort({
    process: 'the settler',
    at,
    pages: {
      '/health/live': async () => ({ status: 200, body: '{"live":true}', type: JSON_TYPE }),
      '/health/ready': async () => {
        const reason = watch.reason ?? unready(lines)
        const body = reason === null ? { ready: true } : { ready: false, reason }
        return { status: reason === null ? 200 : 503, body: JSON.stringify(body), type: JSON_TYPE }
      },
      '/metrics': async () => {
        const text = [...metricLines(lines, watch.reason), ...processLines()]
        return { status: 200, body: text.join('\n') + '\n', type: METRICS_TYPE }
      },
    },
  })
}

/** Each number is the sum over the chains. */
function metricLines(lines: readonly LineCounts[], doubt: string | null): string[] {
  const ready = (doubt ?? unready(lines)) === null ? 1 : 0
  return [
    ...valueLines({ name: 'svc_ready', type: 'gauge', help: '1 while settling goes on.' }, ready),
    ...NUMBERS.flatMap(([name, type, help, field]) =>
      valueLines(
        { name, type, help },
        lines.reduce((sum, line) => sum + line[field], 0),
      ),
    ),
  ]
}
