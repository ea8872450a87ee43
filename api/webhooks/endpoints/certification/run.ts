// All probes of a certification, one after the other, bounded in time.
import { randomBytes } from 'node:crypto'
import type { Cidr } from '../../../../shared/address.ts'
import { openAddressBook } from '../../../../shared/address-book.ts'
import type { Clock, EpochMs } from '../../../../shared/clock.ts'
import { AUTH_BUDGET_MS } from '../../../../shared/limits.ts'
import type { CertificationProbe } from '../../../../shared/schemas/certification.ts'
import { BAD_REQUESTS } from './bad-requests.ts'
import { Bench, type Probe } from './bench.ts'
import { type CallerOptions, openCaller } from './call.ts'
import { GOOD_REQUESTS } from './good-requests.ts'

/** The endpoint to probe. */
export interface Candidate {
  certificationId: string
  url: string
  /** Active secrets, old first. */
  secrets: readonly string[]
  apiVersion: string
}

export interface RunOptions {
  clock: Clock
  /** Private ranges that endpoints may use. */
  opened: readonly Cidr[]
  budgetMs?: number
  /** For a test that must know the secret; otherwise a new one each time. */
  strangerSecret?: string
}

export interface Found {
  /** In the order of sending. */
  probes: readonly CertificationProbe[]
  /** End of the last probe. */
  at: EpochMs
}

/** Chosen: limit of a run; probes not sent by then count as failed. */
export const RUN_MS_MAX = 60_000
const CONNECTIONS_MAX = 20
const SECRET_BYTES = 24
const PROBES: readonly Probe[] = [...GOOD_REQUESTS, ...BAD_REQUESTS]

/** Returns the result of each probe. Never rejects because of the endpoint's behavior. */
export async function runProbes(candidate: Candidate, options: RunOptions): Promise<Found> {
  const { clock, opened } = options
  const budgetMs = options.budgetMs ?? AUTH_BUDGET_MS
  const addresses = openAddressBook({ opened, clock, nameServers: [] })
  const calls: CallerOptions = { addresses, opened, clock, budgetMs, connectionsMax: 1 }
  const caller = openCaller({ ...calls, connectionsMax: CONNECTIONS_MAX })
  const bench = new Bench({
    ...candidate,
    url: new URL(candidate.url),
    strangerSecret:
      options.strangerSecret ?? 'whsec_' + randomBytes(SECRET_BYTES).toString('base64'),
    clock,
    caller,
    openFreshCaller: () => openCaller(calls),
  })
  const startedNs = clock.monotonicNs()
  const found: CertificationProbe[] = []
  for (const probe of PROBES) {
    const late = (clock.monotonicNs() - startedNs) / 1e6 > RUN_MS_MAX
    found.push(late ? unsent(probe) : await probed(probe, bench))
  }
  await caller.close()
  addresses.close()
  return { probes: found, at: clock.nowMs() }
}

async function probed(probe: Probe, bench: Bench): Promise<CertificationProbe> {
  const { name, sent, expected } = probe
  const { got, passed, latencyMs } = await probe.observe(bench)
  return { name, sent, expected, got, latency_ms: latencyMs, passed }
}

function unsent({ name, sent, expected }: Probe): CertificationProbe {
  const got = 'not sent: the run had taken too long'
  return { name, sent, expected, got, latency_ms: 0, passed: false }
}
