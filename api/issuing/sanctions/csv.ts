// Rows of comma-separated text with quoted fields, as the lists are published.

const EMPTY = '-0-'

/**
 * Fields without their quotes and surrounding blanks; `-0-` reads as empty. A quote inside quotes
 * is doubled.
 */
export function csvRows(text: string): string[][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && line !== '\u001a')
    .map(fieldsOf)
}

function fieldsOf(line: string): string[] {
  const fields: string[] = []
  let field = ''
  let quoted = false
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string
    if (quoted && character === '"' && line[at + 1] === '"') {
      field += '"'
      at += 1
    } else if (character === '"') quoted = !quoted
    else if (character === ',' && !quoted) {
      fields.push(field)
      field = ''
    } else field += character
  }
  fields.push(field)
  return fields.map((raw) => {
    const trimmed = raw.trim()
    return trimmed === EMPTY ? '' : trimmed
  })
}
