// The legal moves of a webhook endpoint that a caller may ask for. Spec 3.
import type { Move } from '../../move.ts'
import type { EndpointStatus } from './view.ts'

export const ENDPOINT_MOVES = {
  enable: { from: ['disabled'], to: 'enabled', event: null },
} as const satisfies Record<string, Move<EndpointStatus>>
