// An entry that our own code cannot process fails as permanently as one that Postgres refuses: the
// entry is quarantined, and all other entries continue. Only pure work runs inside, so that a fault
// of the driver or the network is never taken for this error.

export class PoisonEntry extends Error {
  override readonly name = 'PoisonEntry'
}

/** The result of pure work on entries. Throws PoisonEntry when the work throws. */
export function applied<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw new PoisonEntry('what follows from an entry cannot be made: ' + String(cause), { cause })
  }
}
