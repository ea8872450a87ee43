// Health checks: whether this process runs, and whether it can do its work. No credential: load
// balancers call them.
import type { FastifyInstance } from 'fastify'
import { Type } from '../../shared/schema-builders.ts'
import { withDeadline } from '../database/deadline.ts'
import { Refusal } from './refusal.ts'
import { closed } from './route.ts'
import type { HttpServices } from './services.ts'

/** Milliseconds PostgreSQL has to answer for the API to be ready. */
const DATABASE_ANSWER_MS_MAX = 1000

const SCHEMA = {
  querystring: closed({}),
  response: { 200: Type.Object({ status: Type.Literal('ok') }) },
}
const OK = { status: 'ok' }

/**
 * `live` says the process runs, `ready` that PostgreSQL answers, has every migration and agrees on
 * the time. Neither waits for the engine: reads do not need it.
 */
export function registerHealth(server: FastifyInstance, services: HttpServices): void {
  // Concurrent calls share one database check: these calls have no rate limit.
  let asking: Promise<void> | null = null
  const ready = (): Promise<void> => {
    asking ??= requireDatabase(services).finally(() => {
      asking = null
    })
    return asking
  }
  server.get('/health/live', { schema: SCHEMA }, async () => OK)
  server.get('/health/ready', { schema: SCHEMA }, async () => {
    await ready()
    return OK
  })
}

async function requireDatabase({ sql, migrations, watch, log }: HttpServices): Promise<void> {
  const missing = await withDeadline(
    sql`select 1`.then(() => (migrations.complete ? null : migrations.missing())),
    DATABASE_ANSWER_MS_MAX,
  ).catch((error) => {
    log.warn({ err: error }, 'not ready: PostgreSQL does not answer')
    throw new Refusal('dependency_unavailable')
  })
  if (watch.reason !== null)
    throw new Refusal('dependency_unavailable', { message: watch.reason + '.' })
  if (missing === null) return
  throw new Refusal('dependency_unavailable', {
    message: 'The database has no ' + missing + ' yet: run `npm run migrate`.',
  })
}
