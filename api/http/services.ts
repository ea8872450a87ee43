// The parts of the process that the server and its gates use. `main.ts` builds them, tests build
// their own. A domain adds its ports in `routes.ts`.
import type { Cidr } from '../../shared/address.ts'
import type { Clock } from '../../shared/clock.ts'
import type { SlotLimits } from '../../shared/connection-slots.ts'
import type { Unseal } from '../../shared/keyring.ts'
import type { Logger } from '../../shared/log.ts'
import type { Environment } from '../../shared/wire/config-records.ts'
import type { Credentials } from '../access/credentials/credentials.ts'
import type { AwaitedMigrations } from '../database/awaited-migrations.ts'
import type { ClockWatch } from '../database/clock-watch.ts'
import type { DatabaseWatchdog } from '../database/database-watchdog.ts'
import type { Sql } from '../database/pool.ts'

export interface HttpServices {
  sql: Sql
  /** No statement goes to the database before all migrations are there. */
  migrations: AwaitedMigrations
  /** Whether the clock may be believed; every call waits while it may not. */
  watch: Pick<ClockWatch, 'reason'>
  /** Ends the waits of callers when the database is silent. */
  pulse: DatabaseWatchdog
  /**
   * Resolves to true as soon as the engine decides by that transaction; false when it did not
   * within ENGINE_COVER_MS_MAX.
   */
  waitUntilEngineCovers: (xid: bigint) => Promise<boolean>
  /** Seals secrets at rest, under the installation's master keys. */
  seal: (context: string, plaintext: string) => string
  unseal: Unseal
  /** Base URL of the pages that people open; null: `publicUrl`. */
  authUrl: string | null
  /** Mail is sent; otherwise a one-time link is shown to the inviting person. */
  sendsMail: boolean
  /** People may sign themselves up. */
  signUp: boolean
  /**
   * Base URL of our reference pages, without a slash at its end; a path from the root when our
   * address is unknown.
   */
  docsUrl: string
  /** Milliseconds that a page of the dashboard waits for each of its panels. */
  panelMs: number
  /** Base URL for pass holders and their devices, without a slash at its end. */
  publicUrl: string
  /** A sandbox installation refuses live keys; a live one serves both. */
  installation: Environment
  /**
   * Calls of operators that make credentials or reset factors need a second operator, as they do in
   * every installation that serves live.
   */
  twoOperators: boolean
  /** Cached knowledge of the credentials in use. */
  credentials: Credentials
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly Cidr[]
  /** Addresses from which operators reach their pages. */
  operatorCidrs: readonly Cidr[]
  /** Fewer connections than the process could hold, for tests. */
  connectionLimits?: SlotLimits
  /** PEM texts of the server's certificate and key; null: the server speaks without TLS. */
  tls: { cert: string; key: string } | null
  clock: Clock
  log: Logger
}
