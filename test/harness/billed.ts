// The API of a test beside the sandbox's payment processor: callbacks arrive, jobs run once.
import { processorJobs } from '../../api/billing/collection/index.ts'
import { openProcessors, type Processors } from '../../api/billing/processor/index.ts'
import type { StripePeer } from '../../scripts/stripe-peer/peer.ts'
import { systemClock } from '../../shared/clock.ts'
import type { TestApi } from './api.ts'
import { startIssuingApi } from './issuing.ts'
import { runJob } from './jobs.ts'
import { perFile } from './per-file.ts'
import type { Teardown } from './postgres.ts'
import { PEER_KEY, PEER_SECRET, type PeerChange, startTestPeer } from './stripe-peer.ts'
import { until } from './until.ts'

export interface BilledApi {
  api: TestApi
  peer: StripePeer
  processors: Processors
  /** Runs every job of the processor until none has work. */
  settle(): Promise<void>
  /** Runs them until the condition holds: a callback takes its way. */
  settled(condition: () => Promise<boolean>): Promise<void>
}

/**
 * One API and one processor per test file. The processor's time is the API's; its callbacks are
 * told at once.
 */
export async function startBilledApi(t: Teardown, change: PeerChange = {}): Promise<BilledApi> {
  const { peer, processors, told } = await openPeer(t, change)
  const api = await startIssuingApi({
    ...{ billed: { sandbox: true, live: false }, processors },
    processorSecrets: { sandbox: ['whsec_next012345', PEER_SECRET], live: ['whsec_live012345'] },
  })
  told.url = api.url
  told.now = () => api.clock.nowMs
  peer.faults.clear()
  const jobs = processorJobs(processors)
  const settle = async (): Promise<void> => {
    for (let left = 1; left > 0; ) {
      left = 0
      for (const job of jobs) left += await runJob(job, { sql: api.sql, now: api.clock.nowMs })
    }
  }
  const settled = (condition: () => Promise<boolean>): Promise<void> =>
    until(async () => {
      await settle()
      return condition()
    })
  return { api, peer, processors, settle, settled }
}

interface Running {
  peer: StripePeer
  processors: Processors
  told: { url: string; now: () => number }
}

const openPeer = perFile(startOnce)

async function startOnce(t: Teardown, change: PeerChange): Promise<Running> {
  const told = { url: 'http://127.0.0.1:1', now: systemClock.nowMs }
  const peer = await startTestPeer(t, {
    clock: { ...systemClock, nowMs: () => told.now() },
    callbackUrl: () => told.url + '/partners/stripe/callbacks/sandbox',
    ...change,
  })
  return { peer, processors: processorsOf(t, peer), told }
}

/** A processor for the sandbox of a test, whose callbacks go nowhere. */
export async function peerProcessors(t: Teardown): Promise<Processors> {
  return processorsOf(t, await startTestPeer(t))
}

function processorsOf(t: Teardown, { url }: StripePeer): Processors {
  const config = { keys: { sandbox: PEER_KEY, live: null }, url, ratePerS: 1000 }
  const processors = openProcessors(config, { clock: systemClock, callMsMax: 1000 })
  t.teardown(() => processors.close())
  return processors
}
