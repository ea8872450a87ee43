// Splits long work of the drain into short pieces: requests of the API's callers, on the same
// thread, run in between.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** About a millisecond of decoding or composing. */
const PIECE = 32

/**
 * Returns the result of `make` for each item, in order; other work of this thread runs after each
 * piece. Rejects when `make` throws.
 */
export async function mapInPieces<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  for (const item of items) {
    made.push(make(item))
    if (made.length % PIECE === 0) await nextTurn()
  }
  return made
}
