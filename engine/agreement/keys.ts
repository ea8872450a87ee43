// The keys of one shard in the agreement store.

/** Digits of a sequence in a key: the order of keys is the order of sequences. */
const SEQUENCE_DIGITS = 16

export interface ShardKeys {
  /** Everything of the shard begins with it, and lies before `end`. */
  prefix: string
  end: string
  journal: string
  owner: string
  floor: string
  /** Every batch lies from here on and before `logEnd`. */
  logBegin: string
  logEnd: string
  membersBegin: string
  membersEnd: string
  /** The key of the batch whose first entry has this sequence. */
  log(firstSeq: number): string
  member(memberId: string): string
}

/** Returns the keys of a shard. */
export function shardKeys(cell: string, shard: string): ShardKeys {
  const prefix = '/svc/' + cell + '/' + shard + '/'
  return {
    prefix,
    end: prefix.slice(0, -1) + '0',
    journal: prefix + 'journal',
    owner: prefix + 'owner',
    floor: prefix + 'floor',
    logBegin: prefix + 'log/',
    // '0' follows '/' in ASCII.
    logEnd: prefix + 'log0',
    membersBegin: prefix + 'members/',
    membersEnd: prefix + 'members0',
    log: (firstSeq) => prefix + 'log/' + String(firstSeq).padStart(SEQUENCE_DIGITS, '0'),
    member: (memberId) => prefix + 'members/' + memberId,
  }
}
