// The states in which a caller may request an operation.
import type { EndpointRow } from '../endpoints/index.ts'
import type { RecoveryStatus } from './recoveries/view.ts'

/**
 * Only an enabled endpoint is sent to: waiting deliveries continue by themselves once the endpoint
 * is enabled.
 */
export const SENT_TO = ['enabled'] as const satisfies readonly EndpointRow['status'][]

/** Only a running recovery can be canceled. */
export const RUNNING = ['running'] as const satisfies readonly RecoveryStatus[]
