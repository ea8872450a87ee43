// An event's body in its stored form. Bodies of card transactions are some 5 KB each and much
// alike, and each row would fill a PostgreSQL page: they are deflated against a dictionary of
// typical bodies. Other bodies are stored as sent.
import { readFileSync } from 'node:fs'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** The first byte of a deflated body; no text begins with it. It names the dictionary. */
const DEFLATED = 1
/** Text begins above these control characters. */
const CONTROLS = 0x20
/**
 * Never changed: stored bodies were deflated against this dictionary. A better one gets the next
 * number, and this one stays for reading.
 */
const DICTIONARY = readFileSync(new URL('event-body.dictionary-1.txt', import.meta.url))
/** Speed before size: a body finds all it needs in the dictionary. The window holds both. */
const DEFLATE = { level: 1, windowBits: 14, memLevel: 7, dictionary: DICTIONARY }

/** Returns the stored form of the text of a card transaction's event. */
export function deflatedBody(text: string): Buffer {
  const deflated = deflateRawSync(text, DEFLATE)
  const stored = Buffer.allocUnsafe(1 + deflated.length)
  stored[0] = DEFLATED
  deflated.copy(stored, 1)
  return stored
}

/**
 * Returns the exact bytes that are signed and sent, from a body in either form. Throws when it is
 * in neither.
 */
export function sentBody(stored: Buffer): Buffer {
  const [form = CONTROLS] = stored
  if (form === DEFLATED) return inflateRawSync(stored.subarray(1), { dictionary: DICTIONARY })
  if (form < CONTROLS) throw new Error('a body of an event in an unknown form: ' + form)
  return stored
}
