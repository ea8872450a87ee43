// Limits concurrency at the database. All tenants share few connections, so a call that waits for a
// call of its own kind waits here without a connection, and not in a transaction. Per process:
// rivals in another process wait for a row, one for each.
import { sleep } from '../../shared/clock.ts'

export interface Turn {
  /** Name of the queue. */
  name: string
  /** Maximum of concurrent calls under this name. */
  most: number
  /** After the first success all calls waiting by then run at once: nothing holds them back. */
  opens: boolean
  /** A call that waited this long is refused. */
  waitMs: number
  refusal: () => Error
}

interface Line {
  working: number
  waiting: Set<() => void>
}

export class KeyedSemaphore {
  readonly #lines = new Map<string, Line>()

  /** Runs the work when a place is free: first come, first served. */
  async take<Value>(turn: Turn, work: () => Promise<Value>): Promise<Value> {
    const line = this.#lines.get(turn.name) ?? { working: 0, waiting: new Set() }
    this.#lines.set(turn.name, line)
    if (line.working < turn.most) line.working += 1
    else await called(line, turn)
    try {
      const value = await work()
      if (turn.opens) callAll(line)
      return value
    } finally {
      this.#pass(turn.name, line)
    }
  }

  /** The place of a finished call goes to the next in the queue. */
  #pass(name: string, line: Line): void {
    const [next] = line.waiting
    if (next !== undefined) {
      line.waiting.delete(next)
      next()
      return
    }
    line.working -= 1
    if (line.working === 0) this.#lines.delete(name)
  }
}

function callAll(line: Line): void {
  const waiting = [...line.waiting]
  line.working += waiting.length
  line.waiting.clear()
  for (const call of waiting) call()
}

/** Waits for a place; the called waiter holds it. */
async function called({ waiting }: Line, { waitMs, refusal }: Turn): Promise<void> {
  const over = new AbortController()
  let mine = false
  const call = (): void => {
    mine = true
    over.abort()
  }
  waiting.add(call)
  await sleep(waitMs, over.signal)
  if (mine) return
  waiting.delete(call)
  throw refusal()
}
