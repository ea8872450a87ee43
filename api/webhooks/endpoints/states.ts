// The states of a webhook endpoint, and the legal moves for callers. Spec 3.
import type { Move } from '../../write/move.ts'
import type { EndpointStatus } from './view.ts'

/** States in which an endpoint can become the real-time endpoint. */
export const ASKED_STATES = ['enabled'] as const satisfies readonly EndpointStatus[]

export const ENDPOINT_MOVES = {
  enable: { from: ['disabled'], to: 'enabled', event: null },
  /**
   * Chosen: no event. The tenant itself pauses the endpoint, and Spec 6 tells of automatic
   * disabling only.
   */
  pause: { from: ['enabled'], to: 'disabled', event: null },
} as const satisfies Record<string, Move<EndpointStatus>>
