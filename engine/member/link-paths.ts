// The routes of the member link and their answers; both sides import them from here.

export const MEMBER_PATHS = {
  /** GET → LinkStatus as JSON. */
  status: '/member/status',
  /** GET → a line `epoch committed stuck_ms clock_ms` every BEAT_MS, while this member owns. */
  beats: '/member/beats',
  /** GET ?from=SEQ&bytes_max=N → frames as on the control socket; 410 where they are gone. */
  journal: '/member/journal',
  /** GET → the newest snapshot file, with SNAPSHOT_SEQ_HEADER; 404 without one. */
  snapshot: '/member/snapshot',
  /** POST ?to=MEMBER → {} once the owner has handed the shard over; 409 with a sentence. */
  handOver: '/member/hand_over',
  /** GET with an upgrade → frames of messages and answers, while this member owns the shard. */
  messages: '/member/messages',
  /** The routes of the control socket stand below this prefix. */
  control: '/control',
} as const

/**
 * A door asks for beats with it, and an owner that sends empty frames says so: a release before
 * knows neither.
 */
export const BEATS_HEADER = 'svc-beats'
/** An owner that takes messages of ISO 8583 links says so: a release before does not. */
export const LINKED_HEADER = 'svc-linked'
export const SNAPSHOT_SEQ_HEADER = 'svc-snapshot-seq'
/** Milliseconds between two beats of an owner. */
export const BEAT_MS = 50

export interface LinkStatus {
  member_id: string
  journal_id: string
  /** The first entry that can be read, or would be written next. */
  first_seq: number
  synced_seq: number
  /** Sequence of the newest snapshot; 0 without one. */
  snapshot_seq: number
  role: string
  epoch: number
}

/** Reads a LinkStatus; null where it is none. */
export function statusOf(bytes: Buffer): LinkStatus | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof value !== 'object' || value === null) return null
    const row: { readonly [name: string]: unknown } = { ...value }
    const { member_id, journal_id, role } = row
    const numbers = ['first_seq', 'synced_seq', 'snapshot_seq', 'epoch'] as const
    if (typeof member_id !== 'string' || typeof journal_id !== 'string') return null
    if (typeof role !== 'string') return null
    if (!numbers.every((name) => Number.isSafeInteger(row[name]) && Number(row[name]) >= 0))
      return null
    const [first_seq = 0, synced_seq = 0, snapshot_seq = 0, epoch = 0] = numbers.map((name) =>
      Number(row[name]),
    )
    return { member_id, journal_id, role, first_seq, synced_seq, snapshot_seq, epoch }
  } catch {
    return null
  }
}

export interface OwnerBeat {
  epoch: number
  committedSeq: number
  stuckMs: number
  clockMs: number
}

/** The line of a beat. */
export function beatLine({ epoch, committedSeq, stuckMs, clockMs }: OwnerBeat): string {
  return [epoch, committedSeq, Math.round(stuckMs), Math.round(clockMs)].join(' ') + '\n'
}

/** Reads the line of a beat; null where it is none. */
export function readBeat(line: string): OwnerBeat | null {
  const match = /^(\d{1,9}) (\d{1,15}) (\d{1,12}) (\d{1,15})$/.exec(line)
  if (match === null) return null
  const [epoch = 0, committedSeq = 0, stuckMs = 0, clockMs = 0] = match.slice(1).map(Number)
  return { epoch, committedSeq, stuckMs, clockMs }
}
