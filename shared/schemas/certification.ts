// A certification of a real-time endpoint as the outside sees it: what was sent, what came back, what was wrong.
import { type Static, Type } from 'typebox'

export const CertificationProbe = Type.Object({
  name: Type.String(),
  sent: Type.String(),
  expected: Type.String(),
  got: Type.String(),
  latency_ms: Type.Integer({ minimum: 0 }),
  passed: Type.Boolean(),
})
export type CertificationProbe = Static<typeof CertificationProbe>

export const Certification = Type.Object({
  id: Type.String(),
  object: Type.Literal('certification'),
  created: Type.Integer(),
  livemode: Type.Literal(false),
  endpoint_id: Type.String(),
  /** Where the endpoint was when it was probed. */
  url: Type.String(),
  status: Type.Enum(['running', 'finished']),
  /** True where every probe passed; null while it runs. */
  certified: Type.Union([Type.Boolean(), Type.Null()]),
  finished_at: Type.Union([Type.Integer(), Type.Null()]),
  /** Names of the probes that did not pass. */
  failed: Type.Array(Type.String()),
  probes: Type.Array(CertificationProbe),
})
export type Certification = Static<typeof Certification>
