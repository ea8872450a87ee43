// The files of the US Treasury's Office of Foreign Assets Control: `sdn.csv` with everybody's main
// name and `alt.csv` with the others. Only people are read: cardholders are people.
import { csvRows } from './csv.ts'
import type { BirthDate, Listed } from './listed.ts'

const INDIVIDUAL = 'individual'
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const BORN = /\bDOB (circa )?(?:(?:(\d{2}) )?([A-Z][a-z]{2}) )?(\d{4})/g

export function readOfac(sdn: string, alt: string): Listed[] {
  const others = new Map<string, string[]>()
  for (const [id = '', , , name = ''] of csvRows(alt)) {
    if (name === '') continue
    const known = others.get(id)
    if (known === undefined) others.set(id, [name])
    else known.push(name)
  }
  return csvRows(sdn)
    .filter(([, , type]) => type === INDIVIDUAL)
    .map(([id = '', name = '', , program = '', ...rest]) => ({
      id: 'ofac:' + id,
      kind: 'sanctions' as const,
      names: [name, ...(others.get(id) ?? [])],
      birthDates: birthDatesOf(rest.at(-1) ?? ''),
      program,
    }))
}

/** `DOB 10 Dec 1948; alt. DOB circa 1949`. */
function birthDatesOf(remarks: string): BirthDate[] {
  return [...remarks.matchAll(BORN)].map(([, circa, day, month, year = '']) => {
    const at = month === undefined ? -1 : MONTHS.indexOf(month)
    const parts = [year]
    if (at !== -1) parts.push(String(at + 1).padStart(2, '0'))
    if (at !== -1 && day !== undefined) parts.push(day)
    return { text: parts.join('-'), circa: circa !== undefined }
  })
}
