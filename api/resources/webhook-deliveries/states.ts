// The states in which somebody may ask for something.
import type { EndpointRow } from '../webhook-endpoints/index.ts'
import type { RecoveryStatus } from './recoveries/view.ts'

/** Only what is enabled is sent to: what is held comes by itself once the endpoint is enabled. */
export const SENT_TO = ['enabled'] as const satisfies readonly EndpointRow['status'][]

/** Only what runs can be canceled. */
export const RUNNING = ['running'] as const satisfies readonly RecoveryStatus[]
