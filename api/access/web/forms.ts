// Forms of the sign-in pages: their fields, and where they lead.
import { findPan } from '../../../shared/pan-search.ts'

const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/
/** The person's own overview: it leads to the first tenant, or to the account without one. */
export const HOME = '/d'

/** The path of ours to go to after signing in; anything else leads to the person's own overview. */
export function nextPath(text: string | undefined): string {
  return text !== undefined && OWN_PATH.test(text) ? text : HOME
}

/** Chosen: NIST SP 800-63B asks for eight beside a second factor, and for fifteen alone. */
export const PASSWORD_CHARACTERS_MIN = 12
const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u

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
