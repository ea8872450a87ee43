// Which control or limit declined, as people look for it.
import { RULE_CATALOG, type TraceRow } from '../../shared/rule-catalog.ts'

/** Where the inputs of a row begin; the scope is the first wherever there is one. */
const SCOPE_AT = 3
/** Where a rule's row has the id of its limit or control. */
const ID_AT: ReadonlyMap<number, number> = new Map(idPlaces())

/** `<scope>:<limit or control>` of a row that declined, or null where none did. */
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
