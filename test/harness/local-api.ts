// A further process of the API on the database of a test, whose pages stand at localhost: browsers
// know passkeys for a name only.
import { CREDENTIAL_CHANNEL, Credentials } from '../../api/access/credentials/credentials.ts'
import { createEngineClient } from '../../api/engine-link/client.ts'
import { createServer } from '../../api/http/server.ts'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { MASTER_KEYS, type TestApi, testServices } from './api.ts'
import { freePorts } from './free-ports.ts'
import { patientClock } from './patient-clock.ts'
import type { Teardown } from './postgres.ts'

interface LocalOptions {
  /** Absent: without TLS. */
  tls?: { cert: string; key: string } | null
  /** Absent: the machine's. */
  clock?: Clock
  /** Milliseconds that a page waits for its panels; absent: as those of other tests. */
  panelMs?: number
}

/** The process hears of changes, as one of `npm start` does; `url` is the base URL of its pages. */
export async function openLocalApi(
  t: Teardown,
  { sql, engine }: Pick<TestApi, 'sql' | 'engine'>,
  { tls = null, clock = systemClock, panelMs }: LocalOptions = {},
): Promise<{ url: string; credentials: Credentials }> {
  const client = createEngineClient({ socketPath: engine.path, clock: patientClock })
  const [port = 0] = await freePorts(1)
  const url = (tls === null ? 'http' : 'https') + '://localhost:' + port
  const credentials = new Credentials(sql, clock)
  const server = createServer({
    ...testServices({ sql, client, masterKeys: MASTER_KEYS, clock }),
    ...(panelMs !== undefined && { panelMs }),
    publicUrl: url,
    ...{ credentials, tls },
  })
  const heard = await sql.listen(CREDENTIAL_CHANNEL, (payload) => credentials.forget(payload))
  credentials.listening()
  t.teardown(async () => {
    await heard.unlisten()
    server.server.closeAllConnections()
    await server.close()
    client.close()
  })
  await server.listen({ host: '127.0.0.1', port })
  return { url, credentials }
}
