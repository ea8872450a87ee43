// Every request that reads or writes the database waits until it has every migration of this
// version: a missing column is no fault of the caller, and a call may be repeated. Health and
// documents answer meanwhile.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import type { HttpServices } from '../services.ts'

const NEEDS_NONE = /^\/(?:health\/|docs(?:\/|$)|openapi\.json$)/

/** Keys, deadlines and moments go by the clock: a call waits until that may be believed, too. */
export function requireSchema({ migrations, watch }: Pick<HttpServices, 'migrations' | 'watch'>) {
  return ({ routeOptions }: FastifyRequest): Promise<void> | undefined => {
    const doubted = watch.reason !== null
    if ((migrations.complete && !doubted) || NEEDS_NONE.test(routeOptions.url ?? ''))
      return undefined
    if (doubted) throw new Refusal('dependency_unavailable')
    return migrations.missing().then(refuseBehind)
  }
}

function refuseBehind(missing: string | null): void {
  if (missing !== null) throw new Refusal('dependency_unavailable')
}
