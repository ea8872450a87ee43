// Finds the shard of a message in the door's copy of the configuration: by the card's token, or by
// the fingerprint of its number.
import { hash } from 'node:crypto'
import { FIRST_SHARD, NO_SHARD } from '../../shared/shards.ts'
import type { CardConfig, Environment } from '../../shared/wire/config-records.ts'
import type { ConfigReader } from '../config-cache/reader.ts'
import type { Place } from './held-messages.ts'

const ENVIRONMENTS: readonly Environment[] = ['live', 'sandbox']

export interface LookUpOptions {
  configCache: Pick<ConfigReader, 'cardByToken' | 'cardByFingerprint' | 'program' | 'networkKeys'>
  /** The keyed fingerprint of a card number; null while the key is not known. */
  fingerprint(pan: string): string | null
  shards: readonly string[]
}

/** The reference of a message to its card, as far as its bytes can be read. */
type CardName = { token: string } | { pan: string } | null

export class LookUp {
  readonly #options: LookUpOptions

  constructor(options: LookUpOptions) {
    this.#options = options
  }

  /**
   * Null while the group of the card moves. A card that is not known here, and bytes without one,
   * go to a shard that the card's name chooses: a repeat comes to the same engine.
   */
  place({ keyId, body }: { keyId: string; body: Buffer }, look: number): Place | null {
    const name = cardNameOf(body)
    const cards = name === null ? [] : this.#cards(name, keyId)
    // A number may be a card of either environment; the engine that refuses it tells them apart.
    const card = cards[look % Math.max(1, cards.length)]
    const program = card === undefined ? null : this.#options.configCache.program(card.program_id)
    if (program === null) return { shard: this.#anyShard(name, look), unlocated: true }
    const shard = program.shard ?? FIRST_SHARD
    return shard === NO_SHARD ? null : { shard, unlocated: false }
  }

  /** The currency of a card that a link of this key may see; null where it is not known here. */
  currency(keyId: string, { token, pan }: { token?: string; pan?: string }): string | null {
    const name = token === undefined ? panName(pan) : { token }
    return (name === null ? null : this.#cards(name, keyId)[0]?.currency) ?? null
  }

  #cards(name: NonNullable<CardName>, keyId: string): CardConfig[] {
    const { configCache, fingerprint } = this.#options
    if ('token' in name) {
      const card = configCache.cardByToken(name.token)
      return card === null ? [] : [card]
    }
    const print = fingerprint(name.pan)
    if (print === null) return []
    const key = configCache.networkKeys().find(({ id }) => id === keyId)
    const environments = key === undefined ? ENVIRONMENTS : [key.environment]
    return environments
      .map((environment) => configCache.cardByFingerprint(environment, print))
      .filter((card) => card !== null)
  }

  /** Each look asks the next shard: a card may be younger than our records. */
  #anyShard(name: CardName, look: number): string {
    const { shards } = this.#options
    if (name === null) return FIRST_SHARD
    const text = 'token' in name ? name.token : name.pan
    const first = hash('sha256', text, 'buffer').readUInt32LE(0)
    return shards[(first + look) % shards.length] ?? FIRST_SHARD
  }
}

function panName(pan: string | undefined): CardName {
  return pan === undefined ? null : { pan }
}

function cardNameOf(body: Buffer): CardName {
  try {
    const { card }: { card?: unknown } = { ...JSON.parse(body.toString('utf8')) }
    const { token, pan }: { token?: unknown; pan?: unknown } = { ...(card as object) }
    if (typeof token === 'string') return { token }
    return typeof pan === 'string' ? { pan } : null
  } catch {
    return null
  }
}
