// The results of the sandbox's identity provider for a person, and the order in which it sends
// them. The last name of the person selects the story, so a developer can cause every case on
// purpose. Only a table.

export interface Told {
  status: 'processing' | 'requires_action' | 'approved' | 'rejected'
  reasons: readonly string[]
}

export interface Story {
  /** The results in order; the place of each, from 1, is its sequence. */
  results: readonly Told[]
  /**
   * The results that it sends in callbacks, by their places, in this order and as often. A result
   * that is left out is only in the answer to a GET.
   */
  tells: readonly number[]
  /** Milliseconds before the first callback. */
  afterMs: number
}

const PROCESSING: Told = { status: 'processing', reasons: [] }
const APPROVED: Told = { status: 'approved', reasons: [] }
const REJECTED: Told = { status: 'rejected', reasons: ['identity_not_found'] }
const FLAGGED: Told = { status: 'requires_action', reasons: ['document_unreadable'] }

const SOON_MS = 200
const LATE_MS = 15_000

const PLAIN: Story = { results: [PROCESSING, APPROVED], tells: [1, 2], afterMs: SOON_MS }

const STORIES: { readonly [lastName: string]: Story } = {
  reject: { ...PLAIN, results: [PROCESSING, REJECTED] },
  review: { ...PLAIN, results: [PROCESSING, FLAGGED] },
  late: { ...PLAIN, afterMs: LATE_MS },
  twice: { ...PLAIN, tells: [1, 2, 2] },
  backwards: { ...PLAIN, results: [PROCESSING, FLAGGED, APPROVED], tells: [3, 2, 1] },
  // The result exists, but no callback reports it.
  lost: { ...PLAIN, tells: [] },
  never: { results: [PROCESSING], tells: [], afterMs: SOON_MS },
}

/** Every other name is approved at once. */
export function storyOf(lastName: string): Story {
  const name = lastName.trim().toLowerCase()
  return Object.hasOwn(STORIES, name) ? (STORIES[name] ?? PLAIN) : PLAIN
}
