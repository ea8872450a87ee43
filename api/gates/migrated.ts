// Whatever reads or writes the database waits until it has every migration of this version: a column that is not there yet is no
// fault of the caller, and a call may be repeated. Health and documents answer meanwhile.
import type { FastifyRequest } from 'fastify'
import type { Services } from '../context.ts'
import { Refusal } from '../refuse.ts'

const NEEDS_NONE = /^\/(?:health\/|docs(?:\/|$)|openapi\.json$)/

export function migrated({ migrations }: Pick<Services, 'migrations'>) {
  return ({ routeOptions }: FastifyRequest): Promise<void> | undefined => {
    if (migrations.complete || NEEDS_NONE.test(routeOptions.url ?? '')) return undefined
    return migrations.missing().then(refuseBehind)
  }
}

function refuseBehind(missing: string | null): void {
  if (missing !== null) throw new Refusal('dependency_unavailable')
}
