// Every config record version that decisions name, in memory: the engine's knowledge at each
// decision.
import type { KeptFact } from '../../shared/wire/facts.ts'

type KeptType = KeptFact['type']
type FactOf<Type extends KeptType> = Extract<KeptFact, { type: Type }>

export class FactVersions {
  readonly #facts = new Map<string, KeptFact[]>()

  /** Versions of one config record must come in ascending order. */
  add(fact: KeptFact): void {
    const key = fact.type + ' ' + fact.id
    const known = this.#facts.get(key)
    if (known === undefined) this.#facts.set(key, [fact])
    else known.push(fact)
  }

  /** Returns exactly this version, or null if it was not kept. */
  at<Type extends KeptType>(type: Type, id: string, version: number): FactOf<Type> | null {
    const found = this.#facts.get(type + ' ' + id)?.find((fact) => fact.version === version)
    return (found as FactOf<Type> | undefined) ?? null
  }

  /** Returns the version and every later one, oldest first. */
  from<Type extends KeptType>(type: Type, id: string, version: number): readonly FactOf<Type>[] {
    const kept = this.#facts.get(type + ' ' + id) ?? []
    return kept.filter((fact) => fact.version >= version) as unknown as readonly FactOf<Type>[]
  }

  /** Replaces every version by the result of `change`, for a what-if run over the whole time. */
  change(change: (fact: KeptFact) => KeptFact): void {
    for (const facts of this.#facts.values())
      for (const [index, fact] of facts.entries()) facts[index] = change(fact)
  }
}
