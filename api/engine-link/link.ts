// The link between Postgres and the engine: config records in one direction, the journal in the
// other. The link survives restarts of both in any order, and only one API process holds it at a
// time.
import { type Clock, sleep } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'
import type { AwaitedMigrations } from '../database/awaited-migrations.ts'
import { databaseUnavailable } from '../database/unavailable.ts'
import { JobRunner } from '../jobs/run-jobs.ts'
import type { Traces } from '../tracing/span.ts'
import { createEngineClient, EngineError } from './client.ts'
import type { PaymentsPort } from './payments-port.ts'
import { AttachRefused, runSession } from './session.ts'

const BACKOFF_MS_MIN = 50
const BACKOFF_MS_MAX = 2000
/** A session that lasted this many milliseconds was sound: its failure is logged anew. */
const STABLE_MS = 5000

export interface EngineLinkOptions {
  databaseUrl: string
  /** Most connections of the link's pool; absent or null: as many as it wants. */
  connectionsMax?: number | null
  /** Path of the control socket of an engine, or of a front door. */
  socketPath: string
  /** The shard of the engine; absent: the first one. */
  shard?: string
  clock: Clock
  /** Whether this process may believe its own clock. */
  watch: { readonly agrees: boolean }
  log: Logger
  /** No statement goes to the database before all migrations are there. */
  migrations: Pick<AwaitedMigrations, 'missing'>
  /** The domain that gets the journal entries of payment accounts. */
  payments: PaymentsPort
  /** Absent: off. */
  traces?: Traces | undefined
}

export interface EngineLinkState {
  /** True while this process holds the link. */
  leading: boolean
  /** True while config records and journal flow. */
  attached: boolean
  /** The engine's sentence for the operator, or null. */
  refused: string | null
}

export interface EngineLink {
  state(): EngineLinkState
  /** Metrics of the link's jobs; none while another process leads. */
  jobLines(): string[]
  stop(): Promise<void>
}

/**
 * Starts at once and retries for ever; `stop` ends it within seconds, also while either side hangs.
 */
export function startEngineLink(options: EngineLinkOptions): EngineLink {
  const stopping = new AbortController()
  const link = new Link(options, new JobRunner(options.clock))
  const ended = link.run(stopping.signal)
  return {
    state: () => ({ ...link.state }),
    jobLines: () => link.jobs.lines(),
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

/** The links of one process: one to the engine of each shard, and one to its front door. */
export function startEngineLinks(
  options: Omit<EngineLinkOptions, 'socketPath' | 'shard'>,
  targets: readonly Pick<EngineLinkOptions, 'socketPath' | 'shard'>[],
): Pick<EngineLink, 'jobLines' | 'stop'> {
  const stopping = new AbortController()
  const jobs = new JobRunner(options.clock)
  const links = targets.map((target) =>
    new Link({ ...options, ...target }, jobs).run(stopping.signal),
  )
  return {
    jobLines: () => jobs.lines(),
    async stop() {
      stopping.abort()
      await Promise.all(links)
    },
  }
}

class Link {
  readonly jobs: JobRunner
  state: EngineLinkState = { leading: false, attached: false, refused: null }
  readonly #options: EngineLinkOptions
  #backoffMs = BACKOFF_MS_MIN
  #attachedAtNs: number | null = null
  #complaint = ''
  #announced = false

  constructor(options: EngineLinkOptions, jobs: JobRunner) {
    this.#options = options
    this.jobs = jobs
  }

  async run(signal: AbortSignal): Promise<void> {
    const { databaseUrl, socketPath, clock, watch, log, migrations, payments } = this.#options
    const { traces, shard = FIRST_SHARD, connectionsMax = null } = this.#options
    while (!signal.aborted) {
      const client = createEngineClient({ socketPath, clock })
      const session = runSession(
        {
          databaseUrl,
          connectionsMax,
          shard,
          client,
          clock,
          watch,
          log,
          jobs: this.jobs,
          migrations,
          payments,
          traces,
          onLead: () => {
            this.state.leading = true
          },
          onAttached: () => this.#attached(),
        },
        signal,
      )
      try {
        await session
      } catch (error) {
        this.#broke(error)
      }
      client.close()
      this.state = { ...this.state, leading: false, attached: false }
      await sleep(this.#backoffMs, signal)
      this.#backoffMs = Math.min(this.#backoffMs * 2, BACKOFF_MS_MAX)
    }
  }

  #attached(): void {
    this.state = { leading: true, attached: true, refused: null }
    this.#attachedAtNs = this.#options.clock.monotonicNs()
    if (!this.#announced) this.#options.log.info('linked to the engine')
    this.#announced = true
  }

  /**
   * Each failure is logged once, not at every try. Retries are immediate for a side that restarts,
   * and back off for any other failure.
   */
  #broke(error: unknown): void {
    const { clock, log } = this.#options
    const lastedMs =
      this.#attachedAtNs === null ? 0 : (clock.monotonicNs() - this.#attachedAtNs) / 1e6
    const passing = error instanceof EngineError || databaseUnavailable(error)
    if (lastedMs > STABLE_MS || (this.#attachedAtNs !== null && passing))
      this.#backoffMs = BACKOFF_MS_MIN
    if (lastedMs > STABLE_MS) this.#complaint = ''
    this.#attachedAtNs = null
    this.state.refused = error instanceof AttachRefused ? error.message : null
    const complaint = String(error)
    if (complaint === this.#complaint) return
    this.#complaint = complaint
    this.#announced = false
    if (error instanceof AttachRefused) log.error(error.message)
    else log.warn({ err: error }, 'the link to the engine broke; trying again')
  }
}
