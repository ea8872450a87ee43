// The settings of the payment processor, for the processes that call it or hear its callbacks.
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { ProcessorConfig } from './ports.ts'

export interface ProcessorSettings {
  SVC_STRIPE_KEY_SANDBOX: string | null
  SVC_STRIPE_KEY_LIVE: string | null
  SVC_STRIPE_URL: string
  SVC_STRIPE_RATE: number
  SVC_ENVIRONMENT: Environment
}

/** Problems are added to the list. */
export function readProcessorConfig(value: ProcessorSettings, problems: string[]): ProcessorConfig {
  const { SVC_STRIPE_URL: url, SVC_ENVIRONMENT: environment } = value
  if (environment === 'live' && url.startsWith('http:'))
    problems.push('SVC_STRIPE_URL must be https in live: it is sent our key')
  return {
    keys: { sandbox: value.SVC_STRIPE_KEY_SANDBOX, live: value.SVC_STRIPE_KEY_LIVE },
    url,
    ratePerS: value.SVC_STRIPE_RATE,
  }
}
