// Field 48 of our dialect: data from the card network that has no field in ISO 8583:1987. Elements
// of a tag (two digits), a length (three digits) and that many characters, tags ascending, each at
// most once.
import { ANS, type Content, N } from './content.ts'

interface Element {
  readonly name: PrivateName
  readonly charactersMin: number
  readonly charactersMax: number
  readonly content: Content
}

const FLAG: Content = { form: '0 or 1', holds: (text) => text === '0' || text === '1' }

function oneOf(letters: string): Content {
  return { form: 'one of ' + letters, holds: (text) => letters.includes(text) }
}

function element(
  name: PrivateName,
  charactersMin: number,
  charactersMax: number,
  content: Content,
): Element {
  return { name, charactersMin, charactersMax, content }
}

export type PrivateName =
  | 'cvc'
  | 'originalNetworkTransactionId'
  | 'cardToken'
  | 'walletProvider'
  | 'walletTokenId'
  | 'threeDsClaim'
  | 'threeDsId'
  | 'initiator'
  | 'recurring'
  | 'partialApproval'
  | 'final'
  | 'decidedBy'
  | 'incremental'

/** The elements a message carries, by name. */
export type PrivateData = { [Name in PrivateName]?: string }

const ELEMENTS: ReadonlyMap<string, Element> = new Map([
  ['01', element('cvc', 3, 4, N)],
  // The transaction the message is about, where field 63 is another one.
  ['02', element('originalNetworkTransactionId', 1, 128, ANS)],
  // In the place of fields 2 and 14.
  ['03', element('cardToken', 1, 64, ANS)],
  ['04', element('walletProvider', 1, 32, ANS)],
  ['05', element('walletTokenId', 1, 128, ANS)],
  // As in EMV 3DS: Y authenticated, A attempted, N failed; and E exempt.
  ['06', element('threeDsClaim', 1, 1, oneOf('YANE'))],
  ['07', element('threeDsId', 1, 128, ANS)],
  // C cardholder, M merchant.
  ['08', element('initiator', 1, 1, oneOf('CM'))],
  ['09', element('recurring', 1, 1, FLAG)],
  // The terminal can take less than it asked for.
  ['10', element('partialApproval', 1, 1, FLAG)],
  ['11', element('final', 1, 1, FLAG)],
  // For an advice: N the network, S the sponsor bank.
  ['12', element('decidedBy', 1, 1, oneOf('NS'))],
  // The amount is added to that of an authorization given before.
  ['13', element('incremental', 1, 1, FLAG)],
])
const TAGS: ReadonlyMap<PrivateName, string> = new Map(
  [...ELEMENTS].map(([tag, { name }]) => [name, tag]),
)
const TAG_CHARACTERS = 2
const LENGTH_CHARACTERS = 3

/**
 * Whether a field 48 begins with the tag of one of our elements and a length that it may have. One
 * in the format of another acquirer does not.
 */
function beginsAsOurs(text: string): boolean {
  const row = ELEMENTS.get(text.slice(0, TAG_CHARACTERS))
  const digits = text.slice(TAG_CHARACTERS, TAG_CHARACTERS + LENGTH_CHARACTERS)
  if (row === undefined || !/^\d{3}$/.test(digits)) return false
  return Number(digits) >= row.charactersMin && Number(digits) <= row.charactersMax
}

/**
 * The elements of field 48: none where it is in the format of another acquirer, null where it
 * begins as ours and is anything but elements of ours in their order.
 */
export function decodePrivateData(text: string): PrivateData | null {
  const data: PrivateData = {}
  if (!beginsAsOurs(text)) return data
  let latest = ''
  for (let at = 0; at < text.length; ) {
    const valueAt = at + TAG_CHARACTERS + LENGTH_CHARACTERS
    const tag = text.slice(at, at + TAG_CHARACTERS)
    const digits = text.slice(at + TAG_CHARACTERS, valueAt)
    const row = ELEMENTS.get(tag)
    if (row === undefined || tag <= latest || !/^\d{3}$/.test(digits)) return null
    const end = valueAt + Number(digits)
    const value = text.slice(valueAt, end)
    if (end > text.length || !fits(row, value)) return null
    data[row.name] = value
    latest = tag
    at = end
  }
  return data
}

function fits(row: Element, value: string): boolean {
  return (
    value.length >= row.charactersMin &&
    value.length <= row.charactersMax &&
    row.content.holds(value)
  )
}

/** The text of field 48, empty without elements. `decodePrivateData` reverses it. */
export function encodePrivateData(data: PrivateData): string {
  return Object.entries(data)
    .map(([name, value]) => [TAGS.get(name as PrivateName) ?? '', value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([tag, value]) => tag + String(value.length).padStart(LENGTH_CHARACTERS, '0') + value)
    .join('')
}
