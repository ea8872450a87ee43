// Every config record version that decisions name, in memory: the engine's knowledge at each
// decision.
import type { KeptConfig } from '../../shared/wire/config-records.ts'

type KeptType = KeptConfig['type']
type ConfigOf<Type extends KeptType> = Extract<KeptConfig, { type: Type }>

export class ConfigVersions {
  readonly #configCache = new Map<string, KeptConfig[]>()

  /** Versions of one config record must come in ascending order. */
  add(configRecord: KeptConfig): void {
    const key = configRecord.type + ' ' + configRecord.id
    const known = this.#configCache.get(key)
    if (known === undefined) this.#configCache.set(key, [configRecord])
    else known.push(configRecord)
  }

  /** Returns exactly this version, or null if it was not kept. */
  at<Type extends KeptType>(type: Type, id: string, version: number): ConfigOf<Type> | null {
    const found = this.#configCache
      .get(type + ' ' + id)
      ?.find((configRecord) => configRecord.version === version)
    return (found as ConfigOf<Type> | undefined) ?? null
  }

  /** Returns the version and every later one, oldest first. */
  from<Type extends KeptType>(type: Type, id: string, version: number): readonly ConfigOf<Type>[] {
    const kept = this.#configCache.get(type + ' ' + id) ?? []
    return kept.filter(
      (configRecord) => configRecord.version >= version,
    ) as unknown as readonly ConfigOf<Type>[]
  }

  /** Replaces every version by the result of `change`, for a what-if run over the whole time. */
  change(change: (configRecord: KeptConfig) => KeptConfig): void {
    for (const configCache of this.#configCache.values())
      for (const [index, configRecord] of configCache.entries())
        configCache[index] = change(configRecord)
  }
}
