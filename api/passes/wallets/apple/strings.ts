// The texts of a pass in one language, in Apple's form: `"key" = "value";`, one per row.

export type Strings = { readonly [key: string]: string }

const ESCAPES: { readonly [character: string]: string } = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** UTF-8. A key replaces its text in pass.json. */
export function passStrings(strings: Strings): Buffer {
  const lines = Object.entries(strings).map(
    ([key, words]) => '"' + escaped(key) + '" = "' + escaped(words) + '";\n',
  )
  return Buffer.from(lines.join(''))
}

function escaped(text: string): string {
  return text.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? '')
}
