// The foundings of a shard in order: the first one, and one for each adoption after a loss of etcd.
// An adoption leaves entries out that no journal it read holds, and other entries get their
// sequences. A member that was left out is known by a founding that it never joined, however many
// followed.

/** A founding: the shard went on after `lastSeq`, in epochs beyond `epoch`. */
export interface Founded {
  /** Empty for the first founding, and for one that a release before wrote. */
  id: string
  epoch: number
  lastSeq: number
}

/**
 * The last entry up to which a journal with this history is the shard's. Beyond it lie entries of
 * foundings that only one of the two histories has; null where there is none.
 *
 * `seenEpoch` stands in for the history of a release before, which kept none: its member had joined
 * every founding before an owner that it saw.
 */
export function sharedUntil(
  own: { history: readonly Founded[]; seenEpoch: number },
  shard: readonly Founded[],
): number | null {
  const { history, seenEpoch } = own
  if (history.length === 0) return least(shard.filter(({ epoch }) => epoch >= seenEpoch))
  const at = shard.findLastIndex((founded) => history.some((known) => isSame(known, founded)))
  const joined = at === -1 ? undefined : shard[at]
  const ownAt = joined === undefined ? -1 : history.findLastIndex((known) => isSame(known, joined))
  const foreign = shard.slice(at + 1)
  // The first founding is that of the journal itself, unless the shard had no other one.
  const [only] = shard
  if (shard.length === 1 && at === -1 && only?.epoch === 0) return only.lastSeq
  return least([...foreign, ...history.slice(ownAt + 1)])
}

/** The first founding leaves nothing out. */
function least(foundings: readonly Founded[]): number | null {
  const ends = foundings.filter(({ epoch }) => epoch > 0).map(({ lastSeq }) => lastSeq)
  return ends.length === 0 ? null : Math.min(...ends)
}

function isSame(one: Founded, other: Founded): boolean {
  if (one.epoch !== other.epoch || one.lastSeq !== other.lastSeq) return false
  return one.id === other.id || one.id === '' || other.id === ''
}

/** The foundings as rows of JSON. */
export function historyRows(history: readonly Founded[]): object[] {
  return history.map(({ id, epoch, lastSeq }) => ({ id, epoch, last_seq: lastSeq }))
}

/** Reads rows of JSON; null where they are malformed. */
export function readHistory(rows: unknown): Founded[] | null {
  if (!Array.isArray(rows)) return null
  const history = rows.map(readFounded)
  return history.every((founded) => founded !== null) ? history : null
}

/** Reads one row; null where it is malformed. A release before wrote no id. */
export function readFounded(row: unknown): Founded | null {
  if (typeof row !== 'object' || row === null) return null
  const { id = '', epoch, last_seq: lastSeq }: { [name: string]: unknown } = { ...row }
  if (typeof id !== 'string') return null
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(lastSeq)) return null
  return { id, epoch: Number(epoch), lastSeq: Number(lastSeq) }
}
