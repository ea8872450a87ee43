// Entry point of collecting: callbacks of the processor, and the jobs that follow it.
import type { Job } from '../../jobs/job.ts'
import { mirrorJobs } from '../mirror/index.ts'
import type { Processors } from '../processor/index.ts'
import { collectInvoices, lookAtInvoices } from './collect.ts'
import { dunSubscriptions } from './dun.ts'
import { fetchBells, METHOD_FETCHERS } from './fetch-bells.ts'
import { INVOICE_FETCHERS } from './fetch-invoices.ts'
import { giveUpAtProcessor } from './give-up.ts'
import { listProcessorEvents, purgeProcessorEvents } from './list-events.ts'
import { reconcileInvoices } from './reconcile.ts'

export { type CallbackServices, registerProcessorCallbacks } from './callbacks.ts'
export { relinkRoutes } from './operator-routes.ts'

/** Jobs of environments that have a processor. */
export function processorJobs(processors: Processors): readonly Job[] {
  if (processors.sandbox === null && processors.live === null) return []
  return [
    fetchBells(processors, { ...METHOD_FETCHERS, ...INVOICE_FETCHERS }),
    listProcessorEvents(processors),
    collectInvoices(processors),
    lookAtInvoices(processors),
    dunSubscriptions,
    giveUpAtProcessor(processors),
    reconcileInvoices(processors),
    ...mirrorJobs(processors),
    purgeProcessorEvents,
  ]
}
