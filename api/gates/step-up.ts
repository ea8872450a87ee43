// A call that needs a second factor goes on only with the approval of a person. Spec 5.1.
import type { ApprovedCall } from '../resources/factors/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The approval it came with, which fits it; null where none is needed. */
    factor: ApprovedCall | null
  }
}
