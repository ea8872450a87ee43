// Calls the API for the seed, as any tenant and any operator would: with the typed client. A start
// that was killed anywhere repeats its calls without making anything twice.
//
// The key of a call is derived from its contents. Within a day its repetition gets the first
// answer, by its Idempotency-Key; every resource also has an external id, which finds it for ever.
import { hash } from 'node:crypto'
import { type Caller, createCaller } from '../../../client/call.ts'
import { type CallOptions, type Client, createClient, SvcError } from '../../../client/index.ts'
import { API_VERSION } from '../../../shared/event-catalog.ts'
import type { SandboxSecrets } from '../sandbox-secrets.ts'

const CALL_MS_MAX = 20_000

export interface Callers {
  tenant: Client
  /** Operators' operations are none of the client's: they are called by their path. */
  operator: Caller
  /** Ends every call. */
  signal: AbortSignal
}

/**
 * Clients that see every answer in the shape of this version, whichever one the tenant is pinned
 * to.
 */
export function openCallers(
  apiUrl: string,
  { keys, operator }: SandboxSecrets,
  signal: AbortSignal,
): Callers {
  const optionsOf = (key: string) => ({
    baseUrl: apiUrl,
    key,
    version: API_VERSION,
    timeoutMs: CALL_MS_MAX,
  })
  return {
    tenant: createClient(optionsOf(keys.admin)),
    operator: createCaller(optionsOf(operator?.key ?? '')),
    signal,
  }
}

/** Options of a call that is carried out once, however often it is sent. */
export function once({ signal }: Callers, operation: string, input: object): CallOptions {
  const said = hash('sha256', operation + ' ' + JSON.stringify(input))
  return { idempotencyKey: 'seed ' + said, signal }
}

/** Returns the resource that was made, now or by an earlier start under the same external id. */
export async function madeOnce<Made>(
  make: () => Promise<Made>,
  find: (id: string) => Promise<Made>,
): Promise<Made> {
  try {
    return await make()
  } catch (error) {
    const id = error instanceof SvcError ? error.detail['resource_id'] : null
    if (error instanceof SvcError && error.code === 'already_exists' && typeof id === 'string')
      return find(id)
    throw error
  }
}

/** Whether the API knows nothing of it, or nothing any more. */
export async function isMissing(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading
    return false
  } catch (error) {
    if (error instanceof SvcError && error.status === 404) return true
    throw error
  }
}
