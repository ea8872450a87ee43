// A certification of a real-time endpoint as the outside sees it: the requests, the answers and the
// mistakes.
import { type Static, Type } from 'typebox'

export const CertificationProbe = Type.Object({
  /** The case that is tried, for example timeout. */
  name: Type.String(),
  /** The request that was sent to the endpoint. */
  sent: Type.String(),
  /** The expected response. */
  expected: Type.String(),
  /** The actual response. */
  got: Type.String(),
  /** Until its answer was there, in milliseconds. */
  latency_ms: Type.Integer({ minimum: 0 }),
  /** Whether it answered as expected. */
  passed: Type.Boolean(),
})
export type CertificationProbe = Static<typeof CertificationProbe>

export const Certification = Type.Object({
  id: Type.String(),
  object: Type.Literal('certification'),
  created: Type.Integer(),
  livemode: Type.Literal(false),
  /** The webhook endpoint. */
  endpoint_id: Type.String(),
  /** Where the endpoint was when it was probed. */
  url: Type.String(),
  status: Type.Enum(['running', 'finished']),
  /** True where every probe passed; null while it runs. */
  certified: Type.Union([Type.Boolean(), Type.Null()]),
  /** Unix seconds; null while it runs. */
  finished_at: Type.Union([Type.Integer(), Type.Null()]),
  /** Names of the probes that did not pass. */
  failed: Type.Array(Type.String()),
  /** Every case that was tried, in order. */
  probes: Type.Array(CertificationProbe),
})
export type Certification = Static<typeof Certification>
