// An event's body as it is stored. Bodies of card transactions are some 5 KB each and much alike, and a row of them would take a
// page of PostgreSQL's for itself: they are deflated against what such a body usually says. Others are stored as they are sent.
import { readFileSync } from 'node:fs'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** The first byte of a deflated body; no text begins with it. It names the dictionary. */
const DEFLATED = 1
/** Text begins behind these. */
const CONTROLS = 0x20
/** Never changed: what is stored was deflated against it. A better one gets the next number, and this one stays for reading. */
const DICTIONARY = readFileSync(new URL('event-body.dictionary-1.txt', import.meta.url))
/** Fast before small: a body finds all it needs in the dictionary. The window holds both. */
const DEFLATE = { level: 1, windowBits: 14, memLevel: 7, dictionary: DICTIONARY }

/** What is stored instead of the text of a card transaction's event. */
export function deflatedBody(text: string): Buffer {
  const deflated = deflateRawSync(text, DEFLATE)
  const stored = Buffer.allocUnsafe(1 + deflated.length)
  stored[0] = DEFLATED
  deflated.copy(stored, 1)
  return stored
}

/** The exact bytes that are signed and sent, of a body in either form. Throws where it is in none. */
export function sentBody(stored: Buffer): Buffer {
  const [form = CONTROLS] = stored
  if (form === DEFLATED) return inflateRawSync(stored.subarray(1), { dictionary: DICTIONARY })
  if (form < CONTROLS) throw new Error('a body of an event in an unknown form: ' + form)
  return stored
}
