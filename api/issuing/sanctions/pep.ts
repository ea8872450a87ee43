// Politically exposed persons, from a file of ours: `id,name,other names (;),birth date,position`.
// There is no public list of them in one format, so an operator exports theirs into this one.
import { csvRows } from './csv.ts'
import type { Listed } from './listed.ts'

const BIRTH_DATE = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/

export function readPep(text: string): Listed[] {
  return csvRows(text)
    .filter(([id]) => id !== 'id')
    .map(([id = '', name = '', others = '', born = '', position = '']) => ({
      id: 'pep:' + id,
      kind: 'pep' as const,
      names: [name, ...others.split(';').map((other) => other.trim())].filter(
        (each) => each !== '',
      ),
      birthDates: BIRTH_DATE.test(born) ? [{ text: born, circa: false }] : [],
      program: position,
    }))
}
