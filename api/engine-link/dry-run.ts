// Gets the decision the engine would make, for a caller who can try again later.
import type { EvaluateAnswer, EvaluateRequest } from '../../shared/wire/control.ts'
import { EngineError } from './client.ts'
import type { EnginePort } from './shard-clients.ts'

const BAD_REQUEST = 400

/**
 * Returns null while the engine is down, decides nothing or does not know the card yet. Throws when
 * the request was invalid.
 */
export async function dryRun(
  client: Pick<EnginePort, 'evaluate'>,
  request: EvaluateRequest,
): Promise<EvaluateAnswer | null> {
  try {
    return await client.evaluate(request)
  } catch (error) {
    if (error instanceof EngineError && error.status !== BAD_REQUEST) return null
    throw error
  }
}
