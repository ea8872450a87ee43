// Forms of the sign-in pages: their fields, and where they lead.
import { findPan } from '../../../shared/pan-search.ts'

const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
/** The person's own overview: it leads to the first tenant, or to the account without one. */
export const HOME = '/d'

/** The path of ours to go to after signing in; anything else leads to the person's own overview. */
export function nextPath(text: string | undefined): string {
  return text !== undefined && OWN_PATH.test(text) ? text : HOME
}

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u
const PASSWORD_CHARACTERS_MIN = 12

/** The address in lower case, or null for text that is none, or that passes as a card number. */
export function emailIn(text: string): string | null {
  const email = text.trim().toLowerCase()
  return EMAIL.test(email) && findPan(email) === null ? email : null
}

/** A name in one line, or null for text that is none, or that passes as a card number. */
export function nameIn(text: string): string | null {
  const name = text.trim()
  if (name === '' || name.length > 100 || /\p{Cc}/u.test(name)) return null
  return findPan(name) === null ? name : null
}

/** The sentence about a field that is refused: `otherwise`, unless a card number stands in it. */
export function refusalOf(text: string, otherwise: string): string {
  return findPan(text) === null
    ? otherwise
    : 'This passes as the number of a payment card, which is never taken here.'
}

/** A sentence about a password that is too easy to guess; null for an acceptable one. */
export function passwordProblem(password: string, email: string): string | null {
  if (password.length < PASSWORD_CHARACTERS_MIN)
    return 'A password has at least ' + PASSWORD_CHARACTERS_MIN + ' characters.'
  if (
    new Set(password).size < 5 ||
    password.toLowerCase().includes(email.split('@', 1)[0] ?? email)
  )
    return 'This password is easy to guess. Choose another one.'
  return null
}
