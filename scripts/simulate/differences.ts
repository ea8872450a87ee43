// Compares an expected document with an actual one. An expectation is a part of the document:
// fields that it does not name are not compared.

/** Stands in an expectation where many values are right. */
export class Expectation {
  readonly words: string
  readonly holds: (value: unknown) => boolean

  constructor(words: string, holds: (value: unknown) => boolean) {
    this.words = words
    this.holds = holds
  }
}

export function oneOf(...values: readonly unknown[]): Expectation {
  return new Expectation('one of ' + values.map(shown).join(', '), (value) =>
    values.includes(value),
  )
}

export function matching(pattern: RegExp): Expectation {
  return new Expectation(
    'text like ' + pattern.source,
    (value) => typeof value === 'string' && pattern.test(value),
  )
}

export const someText = new Expectation(
  'some text',
  (value) => typeof value === 'string' && value !== '',
)

const DIFFERENCES_MAX = 20
const SHOWN_CHARACTERS_MAX = 160

/**
 * One sentence per place where `actual` is not as expected; none when all is well. Objects compare
 * by the expected keys, arrays element by element and by length, everything else by identity.
 */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  if (expected instanceof Expectation) {
    return expected.holds(actual) ? [] : [unlike(path, expected.words, actual)]
  }
  if (Array.isArray(expected)) return arrayDifferences(expected, actual, path)
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual))
      return [unlike(path, 'an object', actual)]
    const fields: { readonly [name: string]: unknown } = { ...actual }
    return Object.entries(expected)
      .flatMap(([name, value]) =>
        differences(value, fields[name], path === '' ? name : path + '.' + name),
      )
      .slice(0, DIFFERENCES_MAX)
  }
  return Object.is(expected, actual) ? [] : [unlike(path, shown(expected), actual)]
}

function arrayDifferences(expected: readonly unknown[], actual: unknown, path: string): string[] {
  if (!Array.isArray(actual)) return [unlike(path, 'an array', actual)]
  if (actual.length !== expected.length)
    return [
      unlike(path === '' ? 'length' : path + '.length', String(expected.length), actual.length),
    ]
  return expected
    .flatMap((value, index) => differences(value, actual[index], path + '[' + index + ']'))
    .slice(0, DIFFERENCES_MAX)
}

function unlike(path: string, expected: string, actual: unknown): string {
  return (path === '' ? 'the answer' : path) + ': expected ' + expected + ', got ' + shown(actual)
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value))
  return text.length > SHOWN_CHARACTERS_MAX ? text.slice(0, SHOWN_CHARACTERS_MAX) + '…' : text
}
