// Is the service that sandbox.json describes still there? The file survives a service that was
// killed.
import { request } from 'undici'

const LOOK_MS_MAX = 3000

/** Null when the engine is ready, else one sentence. */
export async function serviceProblem(engineUrl: string): Promise<string | null> {
  try {
    const response = await request(engineUrl + '/health/ready', {
      headersTimeout: LOOK_MS_MAX,
      bodyTimeout: LOOK_MS_MAX,
    })
    await response.body.dump()
    return response.statusCode === 200
      ? null
      : 'The service at ' + engineUrl + ' is not ready yet (HTTP ' + response.statusCode + ').'
  } catch {
    // The advice is the same for every failure.
    return 'No service answers at ' + engineUrl + '; start one with `npm start`.'
  }
}
