// The engines of every shard behind one port, for calls of the api: a change is confirmed by all, a
// question goes to the shard that decides for its card.
import type { Clock } from '../../shared/clock.ts'
import type { BreakerReport } from '../../shared/wire/control.ts'
import { createEngineClient, type EngineClient, EngineError } from './client.ts'

/** The requests of the api's calls to the engines. */
export type EnginePort = Pick<
  EngineClient,
  'clock' | 'covers' | 'evaluate' | 'decidePayment' | 'breakers' | 'close'
>

/** Remembered cards and accounts; beyond it the memory is cleared. */
const REMEMBERED_MAX = 100_000
/** Another shard may know the card, or own it. */
const ASK_ANOTHER: ReadonlySet<number> = new Set([0, 404, 409, 503])

/** One client, or one per socket behind one port. */
export function createEnginePort(socketPaths: readonly string[], clock: Clock): EnginePort {
  const clients = socketPaths.map((socketPath) => createEngineClient({ socketPath, clock }))
  const [only] = clients
  return only !== undefined && clients.length === 1 ? only : new ShardClients(clients, clock)
}

class ShardClients implements EnginePort {
  readonly clock: Clock
  readonly #clients: readonly EngineClient[]
  /** The client that answered last for a card or an account. */
  readonly #answered = new Map<string, EngineClient>()

  constructor(clients: readonly EngineClient[], clock: Clock) {
    this.#clients = clients
    this.clock = clock
  }

  async covers(xid: bigint, deadlineMs?: number): Promise<boolean> {
    const all = await Promise.all(this.#clients.map((client) => client.covers(xid, deadlineMs)))
    return all.every((covered) => covered)
  }

  evaluate(...args: Parameters<EngineClient['evaluate']>): ReturnType<EngineClient['evaluate']> {
    return this.#ask(args[0].card_id, (client) => client.evaluate(...args))
  }

  async decidePayment(
    ...args: Parameters<EngineClient['decidePayment']>
  ): ReturnType<EngineClient['decidePayment']> {
    const account = args[0].payment_account_id
    for (const client of this.#inOrder(account)) {
      const decision = await client.decidePayment(...args)
      if (decision.state === 'away') continue
      this.#remember(account, client)
      return decision
    }
    return { state: 'away' }
  }

  /** An endpoint is asked by the shards of its programs: the worst state counts. */
  async breakers(endpointIds: readonly string[]): Promise<readonly BreakerReport[]> {
    const all = await Promise.all(this.#clients.map((client) => client.breakers(endpointIds)))
    return endpointIds.flatMap((_, at) => {
      const reports = all.flatMap((answer) => answer[at] ?? [])
      const [worst] = [...reports].sort((one, other) => rank(other) - rank(one))
      const opened_count = reports.reduce((sum, report) => sum + report.opened_count, 0)
      return worst === undefined ? [] : [{ ...worst, opened_count }]
    })
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }

  /** The first answer; a refusal of the last client where no shard decides. */
  async #ask<Answer>(id: string, call: (client: EngineClient) => Promise<Answer>): Promise<Answer> {
    let refused: unknown = null
    for (const client of this.#inOrder(id)) {
      try {
        const answer = await call(client)
        this.#remember(id, client)
        return answer
      } catch (error) {
        if (!(error instanceof EngineError) || !ASK_ANOTHER.has(error.status)) throw error
        refused = error
      }
    }
    throw refused
  }

  #inOrder(id: string): readonly EngineClient[] {
    const first = this.#answered.get(id)
    if (first === undefined) return this.#clients
    return [first, ...this.#clients.filter((client) => client !== first)]
  }

  #remember(id: string, client: EngineClient): void {
    if (this.#answered.size >= REMEMBERED_MAX) this.#answered.clear()
    this.#answered.set(id, client)
  }
}

function rank({ state }: BreakerReport): number {
  return ['closed', 'half_open', 'open'].indexOf(state)
}
