// The behavior of the sandbox's push service per device, by the beginning of its token, so a test
// can choose every possible answer. Only a table.

export interface PushAnswer {
  status: number
  reason: string
  /** Seconds until the next attempt, if given. */
  retryAfterS?: number
}

export interface PushStory {
  /** Answers to the first pushes, in this order; later pushes are accepted. */
  first: readonly PushAnswer[]
  /** True if the first answer repeats for ever. */
  forEver: boolean
}

const GONE: PushAnswer = { status: 410, reason: 'Unregistered' }
const UNKNOWN: PushAnswer = { status: 400, reason: 'BadDeviceToken' }
const BUSY: PushAnswer = { status: 429, reason: 'TooManyRequests', retryAfterS: 1 }
const AWAY: PushAnswer = { status: 503, reason: 'ServiceUnavailable' }

const STORIES: { readonly [beginning: string]: PushStory } = {
  '00410': { first: [GONE], forEver: true },
  '00400': { first: [UNKNOWN], forEver: true },
  '00429': { first: [BUSY], forEver: false },
  '00503': { first: [AWAY, AWAY], forEver: false },
}
const BEGINNING_CHARACTERS = 5

/** Returns the answer to a device's push of this number, from 0; null: it is accepted. */
export function storyAnswer(token: string, number: number): PushAnswer | null {
  const beginning = token.slice(0, BEGINNING_CHARACTERS)
  if (!Object.hasOwn(STORIES, beginning)) return null
  const story = STORIES[beginning]
  if (story === undefined) return null
  return story.first[story.forEver ? 0 : number] ?? null
}
