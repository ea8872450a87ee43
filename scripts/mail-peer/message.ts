// Reads a mail as a mail program does: its header fields and its text (RFC 5322, 2045 and 2047).

export interface Message {
  /** Decoded; empty where the field is missing. */
  subject: string
  from: string
  to: string
  id: string
  text: string
}

/** Reads a message whose body is one text. */
export function readMessage(source: Buffer): Message {
  const whole = source.toString('latin1')
  const at = whole.indexOf('\r\n\r\n')
  const head = at < 0 ? whole : whole.slice(0, at)
  const body = at < 0 ? '' : whole.slice(at + 4)
  const field = fieldsOf(head)
  return {
    subject: decodedWords(field('subject')),
    from: decodedWords(field('from')),
    to: decodedWords(field('to')),
    id: field('message-id'),
    text: decodedBody(body, field('content-transfer-encoding').toLowerCase()),
  }
}

function fieldsOf(head: string): (name: string) => string {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const fields = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return (name) => fields.get(name) ?? ''
}

const WORD = /=\?utf-8\?([bq])\?([^?]*)\?=/gi

/** Encoded words next to each other have no space between them. */
function decodedWords(text: string): string {
  const joined = text.replaceAll(/(\?=)\s+(?==\?)/g, '$1')
  const plain = Buffer.from(joined, 'latin1').toString('utf8')
  return plain.replaceAll(WORD, (_whole, kind: string, word: string) =>
    kind.toLowerCase() === 'b'
      ? Buffer.from(word, 'base64').toString('utf8')
      : fromQuoted(word.replaceAll('_', ' ')),
  )
}

function decodedBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding === 'quoted-printable') return fromQuoted(body.replaceAll(/=\r\n/g, ''))
  return Buffer.from(body, 'latin1').toString('utf8')
}

function fromQuoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
