// Refuses new passwords that somebody would try first. NIST SP 800-63B, 3.1.1.2.
import { PASSWORD_CHARACTERS_MIN } from './forms.ts'
import { isGuessed } from './guessing.ts'

/** Shorter words of a person are parts of too many others. */
const WORD_CHARACTERS_MIN = 3
/** Chosen: fewer letters and digits beside the person's words, such as a year, add nothing. */
const OTHERS_MIN = 6
const SERVICE = 'svc'

/** A password that is not taken: the form marks its field and says why. */
export interface PasswordProblem {
  status: 422
  sentence: string
  field: 'password'
}

export interface PasswordOwner {
  email: string
  /** The person's name, and those of tenants. */
  names: readonly string[]
}

/** The problem with a new password; null for one that is hard to guess. */
export async function passwordProblem(
  password: string,
  owner: PasswordOwner,
): Promise<PasswordProblem | null> {
  const refused = (sentence: string): PasswordProblem => ({
    ...{ status: 422, sentence, field: 'password' },
  })
  if (password.length < PASSWORD_CHARACTERS_MIN)
    return refused('A password has at least ' + PASSWORD_CHARACTERS_MIN + ' characters.')
  const words = wordsOf(owner)
  if (othersIn(password, words) < OTHERS_MIN)
    return refused(
      'Your address, your name, your company and svc are tried first. Choose a password without them.',
    )
  if (await isGuessed(password, words))
    return refused(
      'This password is among the first that are tried: common words, keys in a row, repetitions, dates. ' +
        'Choose three or more words that have nothing to do with each other, or let a password manager make one.',
    )
  return null
}

/** In lower case, longest first: a name goes before its parts. */
function wordsOf({ email, names }: PasswordOwner): string[] {
  const [local = '', domain = ''] = email.split('@')
  // The last label of a domain is no word about the person.
  const whole = [email, local, domain, domain.replace(/\.[^.]*$/, ''), ...names, SERVICE]
  const parts = whole.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
  const words = parts.map((text) => text.toLowerCase())
  return [...new Set(words)]
    .filter((word) => word.length >= WORD_CHARACTERS_MIN)
    .sort((one, other) => other.length - one.length)
}

/** The number of letters and digits beside these words. */
function othersIn(password: string, words: readonly string[]): number {
  const rest = words.reduce((text, word) => text.replaceAll(word, ' '), password.toLowerCase())
  return rest.replaceAll(/[^\p{L}\p{N}]/gu, '').length
}
