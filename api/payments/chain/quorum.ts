// One call to every RPC of a chain. A fact counts where every RPC that answers says the same,
// and enough of them answer: one node may lag, lie or lose.
import type { JsonRpc, RpcFailure } from './json-rpc.ts'

/**
 * `agreed`: every answer is the same. `silent`: fewer than `least` answered. `disagreed`: two
 * answers differ; nothing may land on it.
 */
export type Quorum<Value> =
  | { kind: 'agreed'; value: Value; answers: number }
  | { kind: 'silent'; failures: readonly RpcFailure[] }
  | { kind: 'disagreed'; hosts: readonly string[] }

export interface QuorumCall<Value> {
  method: string
  params: readonly unknown[]
  /** The part of an answer that must agree; null counts its RPC as silent. */
  read(answer: unknown): Value | null
  /** Fewer answers than this are silence. */
  least: number
}

/** Asks every RPC at once. Values are compared by their JSON. */
export async function askAll<Value>(
  rpcs: readonly JsonRpc[],
  call: QuorumCall<Value>,
): Promise<Quorum<Value>> {
  const { method, params, read, least } = call
  const outcomes = await Promise.all(
    rpcs.map(async (rpc) => ({ host: rpc.host, result: await rpc.call(method, params) })),
  )
  const failures: RpcFailure[] = []
  const answers: { host: string; value: Value; text: string }[] = []
  for (const { host, result } of outcomes) {
    const value = result.ok ? read(result.value) : null
    if (value !== null) answers.push({ host, value, text: JSON.stringify(value) })
    else
      failures.push(
        result.ok ? { kind: 'unreachable', host, reason: 'not such an answer' } : result.error,
      )
  }
  const [first] = answers
  if (first === undefined || answers.length < least) return { kind: 'silent', failures }
  if (answers.some(({ text }) => text !== first.text))
    return { kind: 'disagreed', hosts: answers.map(({ host }) => host) }
  return { kind: 'agreed', value: first.value, answers: answers.length }
}

/** The problem of an answer, as a sentence; empty where it is the expected one. */
export function problemOf<Value>(
  name: string,
  answer: Quorum<Value>,
  expected: (value: Value) => boolean,
): string[] {
  if (answer.kind === 'silent') return [name + ': no RPC answers']
  if (answer.kind === 'disagreed') return [name + ': ' + answer.hosts.join(', ') + ' disagree']
  return expected(answer.value) ? [] : [name + ': not the configured one']
}
