// A certification of a real-time endpoint as the outside sees it: the requests, the answers and the
// mistakes.
import type { Static } from 'typebox'
import { Type } from '../schema-builders.ts'
import { described } from './described.ts'

export const CertificationProbe = Type.Object({
  name: described(Type.String(), 'The case that is tried, for example timeout.'),
  sent: described(Type.String(), 'The request that was sent to the endpoint.'),
  expected: described(Type.String(), 'The expected response.'),
  got: described(Type.String(), 'The actual response.'),
  latency_ms: described(
    Type.Integer({ minimum: 0 }),
    'Until its answer was there, in milliseconds.',
  ),
  passed: described(Type.Boolean(), 'Whether it answered as expected.'),
})
export type CertificationProbe = Static<typeof CertificationProbe>

export const Certification = Type.Object({
  id: Type.String(),
  object: Type.Literal('certification'),
  created: Type.Integer(),
  livemode: Type.Literal(false),
  endpoint_id: described(Type.String(), 'The webhook endpoint.'),
  url: described(Type.String(), 'Where the endpoint was when it was probed.'),
  status: Type.Enum(['running', 'finished']),
  certified: described(
    Type.Union([Type.Boolean(), Type.Null()]),
    'True where every probe passed; null while it runs.',
  ),
  finished_at: described(
    Type.Union([Type.Integer(), Type.Null()]),
    'Unix seconds; null while it runs.',
  ),
  failed: described(Type.Array(Type.String()), 'Names of the probes that did not pass.'),
  probes: described(Type.Array(CertificationProbe), 'Every case that was tried, in order.'),
})
export type Certification = Static<typeof Certification>
