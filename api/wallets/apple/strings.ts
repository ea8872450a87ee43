// The words of a pass in one language, in the form Apple reads: `"key" = "value";`, a line each.

export type Strings = { readonly [key: string]: string }

const ESCAPES: { readonly [character: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** UTF-8. A key stands in pass.json in the place of its words. */
export function passStrings(strings: Strings): Buffer {
  const lines = Object.entries(strings).map(
    ([key, words]) => '"' + escaped(key) + '" = "' + escaped(words) + '";\n',
  )
  return Buffer.from(lines.join(''))
}

function escaped(text: string): string {
  return text.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? '')
}
