// The control or limit that declined, in a searchable form.
import { RULE_CATALOG, type TraceRow } from '../../shared/rule-catalog.ts'

/** Index of a row's first input; the scope comes first in every row that has one. */
const SCOPE_AT = 3
/** Index of the limit or control id in a rule's row. */
const ID_AT: ReadonlyMap<number, number> = new Map(idPlaces())

/** `<scope>:<limit or control>` of a row that declined, or null if no limit or control declined. */
export function declineDetail(row: TraceRow | undefined): string | null {
  if (row === undefined || row[2] === 0) return null
  const at = ID_AT.get(row[0])
  const id = at === undefined ? undefined : row[at]
  return id === undefined ? null : row[SCOPE_AT] + ':' + id
}

function idPlaces(): [number: number, place: number][] {
  const places: [number, number][] = []
  for (const { number, inputs } of Object.values(RULE_CATALOG)) {
    for (const name of ['limit_id', 'control_id']) {
      const at = (inputs as readonly string[]).indexOf(name)
      if (at !== -1) places.push([number, SCOPE_AT + at])
    }
  }
  return places
}
