// Long work of the drain in short pieces: the requests of the API's callers, on the same thread, go in between.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** About a millisecond of decoding or composing. */
const PIECE = 32

/** What `make` makes of each item, in order; whoever waits for this thread has a turn after each piece. Rejects when it throws. */
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
