// Turns at the database. Its connections are few and all tenants share them, so whoever waits for a call of its own kind waits
// here, where it holds nothing, and not in a transaction. Per process: rivals in another process wait for a row, one for each.
import { sleep } from '../shared/clock.ts'

export interface Turn {
  /** Who stands in line behind whom. */
  name: string
  /** So many of that name are at work at once. */
  most: number
  /** As soon as one has succeeded, all who wait by then may go on at once: nothing keeps them any more. */
  opens: boolean
  /** Who has waited this long is refused. */
  waitMs: number
  refusal: () => Error
}

interface Line {
  working: number
  waiting: Set<() => void>
}

export class Turns {
  readonly #lines = new Map<string, Line>()

  /** Runs the work when it is its turn: first come, first served. */
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

  /** The place of whoever is done goes to the next in line. */
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

/** Waits for a place; whoever is called holds it. */
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
