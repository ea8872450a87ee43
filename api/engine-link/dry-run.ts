// Asks the engine what it would decide, for a caller who can wait for another time.
import type { EvaluateAnswer, EvaluateRequest } from '../../shared/wire/control.ts'
import { type EngineClient, EngineError } from './client.ts'

const BAD_REQUEST = 400

/** Null while the engine is away, decides nothing or does not know the card yet. Throws where the question was no question. */
export async function dryRun(
  client: EngineClient,
  request: EvaluateRequest,
): Promise<EvaluateAnswer | null> {
  try {
    return await client.evaluate(request)
  } catch (error) {
    if (error instanceof EngineError && error.status !== BAD_REQUEST) return null
    throw error
  }
}
