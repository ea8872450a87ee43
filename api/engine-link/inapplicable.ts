// What our own code cannot make anything of is as lasting as what Postgres refuses: the entry is set aside, and the entries
// of everybody else go on. Only pure work stands in here, so that a fault of the driver or the network is never taken for one.

export class Inapplicable extends Error {
  override readonly name = 'Inapplicable'
}

/** The result of pure work on entries. Throws Inapplicable when the work throws. */
export function applied<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw new Inapplicable('what follows from an entry cannot be made: ' + String(cause), { cause })
  }
}
