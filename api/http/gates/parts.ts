// State and counters of the gates, for the life of a server.

import type { IncomingMessage } from 'node:http'
import { LastUsed } from '../../access/credentials/last-used.ts'
import { type Nonces, nonceSource } from '../../access/oauth/index.ts'
import { RefusedCalls } from '../../platform/refused-calls/index.ts'
import { type Origin, originReader } from '../client-address.ts'
import { Connections } from '../connections.ts'
import { GuardedConnections } from '../guarded-connections.ts'
import { Limits } from '../rate/limits.ts'
import type { HttpServices } from '../services.ts'
import { Tickets } from '../tickets.ts'

export interface GateParts
  extends Pick<
    HttpServices,
    'sql' | 'credentials' | 'installation' | 'clock' | 'docsUrl' | 'publicUrl'
  > {
  limits: Limits
  connections: Connections
  guarded: GuardedConnections
  lastUsed: LastUsed
  tickets: Tickets
  /** Nonces for proofs of possession. */
  nonces: () => Promise<Nonces>
  refusedCalls: RefusedCalls
  originOf(request: IncomingMessage): Origin
  /** The server speaks TLS itself. */
  secure: boolean
}

export function gateParts(services: HttpServices): GateParts {
  const { sql, clock, log, credentials, installation, trustedProxies, docsUrl, publicUrl, tls } =
    services
  return {
    sql,
    publicUrl,
    credentials,
    installation,
    clock,
    docsUrl,
    limits: new Limits(sql, clock),
    connections: new Connections(),
    guarded: new GuardedConnections(services),
    lastUsed: new LastUsed({ sql, clock, log }),
    tickets: new Tickets(),
    nonces: nonceSource(services),
    refusedCalls: new RefusedCalls({ sql, clock, log }),
    originOf: originReader(trustedProxies),
    secure: tls !== null,
  }
}
