// The patterns of request schemas in the words of a refusal. A test finds every pattern without
// words.

const PRINTABLE = 'must be printable ASCII characters'
const ONE_LINE = 'must be text in one line, without control characters'
const DATE = 'must be a date: YYYY-MM-DD'

/** By pattern; each continues the sentence "This field". */
export const PATTERN_WORDS: { readonly [pattern: string]: string } = {
  '^[\\u0020-\\u007e]*$': PRINTABLE,
  '^[\\x21-\\x7e]+$': PRINTABLE + ' without spaces',
  '^[0-9A-Za-z_-]{1,64}$': 'must be an id: 1 to 64 letters, digits, _ or -',
  '^[^\\u0000-\\u001f\\u007f]*$': ONE_LINE,
  '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$': ONE_LINE + ', and more than spaces',
  '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f]*$':
    'must be text without control characters; a line feed is accepted',
  '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$':
    'must be text without control characters; tabs and line breaks are accepted',
  '^[A-Z]{3}$': 'must be an ISO 4217 currency: three capital letters, for example USD',
  '^[A-Z]{3}/[A-Z]{3}$': 'must be two ISO 4217 currencies with a slash, for example EUR/USD',
  '^[A-Z]{2}$': 'must be an ISO 3166 country: two capital letters, for example US',
  '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$': 'must be a language, for example de or pt-BR',
  '^[0-9]{4}$': 'must be four digits, for example 5411',
  '^[0-9]{4}(-[0-9]{4})?$':
    'must be a merchant category or a range of them, for example 5411 or 3000-3299',
  '^[a-z0-9_]{1,80}$': 'must be the name of a category: 1 to 80 small letters, digits or _',
  '^[0-9A-Fa-f.:]{2,45}/[0-9]{1,3}$': 'must be a range of IP addresses, for example 203.0.113.0/24',
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}$': DATE,
  '^\\d{4}-\\d{2}-\\d{2}$': DATE,
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': 'must be a time of day: HH:MM, from 00:00 to 23:59',
  '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$': 'must be a time of day: HH:MM, from 00:00 to 24:00',
  '^[^\\s@\\u0000-\\u001f]+@[^\\s@\\u0000-\\u001f]+$': 'must be an e-mail address',
  '^[^\\s@\\u0000-\\u001f\\u007f]{1,64}@[^\\s@.\\u0000-\\u001f\\u007f]{1,63}(\\.[^\\s@.\\u0000-\\u001f\\u007f]{1,63})+$':
    'must be an e-mail address, for example ada@example.com',
  '^\\+[1-9][0-9]{6,14}$':
    'must be a phone number with its country: + and 7 to 15 digits, for example +15035550123',
  '^[A-Za-z0-9+/]+={0,2}$': 'must be base64',
  '^[A-Za-z0-9+/]{40,200}={0,2}$': 'must be a public key in base64, 40 to 200 characters',
  '^#[0-9a-fA-F]{6}$': 'must be a colour: # and six hexadecimal digits, for example #1a2b3c',
  '^[a-z][a-z0-9_]{0,39}$':
    'must be a key: a small letter, then up to 39 small letters, digits or _',
  '^[a-z0-9_]{1,32}$': 'must be 1 to 32 small letters, digits or _',
  '^[0-9]{12,19}$': 'must be a card number: 12 to 19 digits',
  '^[0-9]{3,4}$': 'must be a security code: three or four digits',
  '^[0-9]{1,12}(\\.[0-9]{1,12})?$': 'must be a decimal number in a string, for example "1.0850"',
  '^[0-9]{4,12}$': 'must be a PIN: 4 to 12 digits',
  '^(?:[0-9]{4,12}|unreadable)$': 'must be a PIN of 4 to 12 digits, or unreadable',
  '^0x[0-9a-fA-F]{40}$': 'must be an address on the chain: 0x and 40 hexadecimal digits',
  '^[0-9a-f]{64}$': 'must be a digest: 64 hexadecimal digits in small letters',
  '^[A-Za-z0-9_-]+$': 'must be base64url without padding',
  '^https://[^\\s\\u0000-\\u001f\\u007f]+$': 'must be a URL over https, without spaces',
  '^[^\\s@]{1,64}@[^\\s@]{1,189}$': 'must be an e-mail address',
  '^[0-9A-Za-z][0-9A-Za-z _./-]{0,63}$':
    'must be a reference: a letter or digit, then up to 63 of letters, digits, spaces, _ . / and -',
  '^[0-9A-Z]{2}$': 'must be a response code: two digits or capital letters',
}
