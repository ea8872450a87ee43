// One JSON-RPC endpoint of a chain. Waiting and repeating are the settler's: a library's wait for a
// receipt may never settle, or answer for another transaction.
import type { Result } from '../../../shared/result.ts'
import type { OutsideCaller } from '../../http/outside-caller.ts'

/**
 * `unreachable`: no valid answer came, and the call may have had its effect. `refused`: the node
 * answered with an error. Neither names more of the URL than its host, because the path may be a
 * secret.
 */
export type RpcFailure =
  | { kind: 'unreachable'; host: string; reason: string }
  | { kind: 'refused'; host: string; code: number; message: string; data: string | null }

export interface JsonRpc {
  readonly host: string
  call(method: string, params: readonly unknown[]): Promise<Result<unknown, RpcFailure>>
}

/** An endpoint; deadline and size of an answer are the caller's. Never rejects. */
export function createJsonRpc(url: string, caller: OutsideCaller): JsonRpc {
  const { host } = new URL(url)
  const headers = { 'content-type': 'application/json' }
  let lastId = 0
  return {
    host,
    async call(method, params) {
      const id = ++lastId
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
      const answer = await caller.call({ method: 'POST', url, headers, body })
      if (!answer.ok) return unreachable(host, answer.error)
      return readAnswer(answer.value.body, id, host)
    },
  }
}

function readAnswer(answer: unknown, id: number, host: string): Result<unknown, RpcFailure> {
  if (!isRecord(answer) || answer['id'] !== id)
    return unreachable(host, 'not an answer to the call')
  if (answer['result'] !== undefined) return { ok: true, value: answer['result'] }
  const error = answer['error']
  if (!isRecord(error)) return unreachable(host, 'not an answer to the call')
  const { code, message, data } = error
  return {
    ok: false,
    error: {
      kind: 'refused',
      host,
      code: typeof code === 'number' ? code : 0,
      message: typeof message === 'string' ? message : '',
      data: typeof data === 'string' ? data : null,
    },
  }
}

function unreachable(host: string, reason: string): Result<unknown, RpcFailure> {
  return { ok: false, error: { kind: 'unreachable', host, reason } }
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
