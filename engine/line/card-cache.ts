// The config records of a card and of the owners of its controls: looked up once, and again after a
// change of config records. A message then finds in one place the content of seven rows and a dozen
// maps. Part of gather.

import { isPayment } from '../../shared/authorization-kind.ts'
import type {
  CardConfig,
  CardholderConfig,
  ControlScope,
  ControlsConfig,
  EndpointConfig,
  ProgramConfig,
} from '../../shared/wire/config-records.ts'
import type { PackedParts } from '../../shared/wire/decision-writer.ts'
import type { CardRecord } from '../../shared/wire/journal-entry.ts'
import type { ConfigReader } from '../config-cache/reader.ts'
import { SecondChanceCache } from '../memory/second-chance-cache.ts'
import { controlVersions } from '../rules/control-versions.ts'
import type { BoundControls } from '../rules/rule.ts'
import { type CachedControls, type KnownDraft, knownControls } from './known-controls.ts'
import type { DefaultWindows } from './limit-views.ts'
import type { Line, Message } from './line.ts'

/** Cached cards, each with about two kilobytes of config records. */
const CARDS_MAX = 16_384
/** Remembered names of cards seen once. */
const NAMES_MAX = 32_768
const UTC = 'UTC'

/** An owner of controls that bind the card, and of windows in which the card counts. */
export interface CachedOwner {
  readonly scope: ControlScope
  readonly subject: string
  /** Null if there are no controls. */
  readonly configRecord: ControlsConfig | null
  readonly controls: CachedControls | null
}

export interface CachedCard {
  readonly card: CardConfig
  readonly cardholder: CardholderConfig
  readonly program: ProgramConfig
  readonly endpoint: EndpointConfig | null
  /** Program, cardholder and card. */
  readonly owners: readonly CachedOwner[]
  /** Active controls of all three owners, as if never used. */
  readonly controls: readonly BoundControls[]
  /** True if every window is a calendar window and there is no draft. */
  readonly hasOnlyDefaultWindows: boolean
  readonly record: CardRecord
  /**
   * Windows of a card with default windows only, for the days it was last seen on, in UTC and the
   * program's zone; null before the first message.
   */
  windows: DefaultWindows | null
  utcDay: number
  zoneDay: number
  /** The common part of the card's entries, made at its second message. */
  packed: PackedParts | null
  /** Number of config record changes at the time of this lookup. */
  changes: number
}

/** The recently used cards of one authorization line, by the names that messages use. */
class KnownCards {
  readonly byToken = new SecondChanceCache<CachedCard>(CARDS_MAX, NAMES_MAX)
  readonly accounts = new SecondChanceCache<CachedCard>(CARDS_MAX, NAMES_MAX)
  readonly byFingerprint = new SecondChanceCache<CachedCard>(CARDS_MAX, NAMES_MAX)
}

const ofLine = new WeakMap<Line, KnownCards>()

/**
 * Null: no such card. `incomplete`: the config records contradict each other, so they allow no
 * decision.
 */
export function cachedCard(line: Line, message: Message): CachedCard | null | 'incomplete' {
  let cards = ofLine.get(line)
  if (cards === undefined) {
    cards = new KnownCards()
    ofLine.set(line, cards)
  }
  const { cardToken, fingerprint } = message
  if (cardToken !== null) {
    const known = isPayment(message.record) ? cards.accounts : cards.byToken
    return cardNamed(line.configCache, message, known, cardToken)
  }
  return fingerprint === null
    ? null
    : cardNamed(line.configCache, message, cards.byFingerprint, fingerprint)
}

function cardNamed(
  configCache: ConfigReader,
  message: Message,
  cards: SecondChanceCache<CachedCard>,
  name: string,
): CachedCard | null | 'incomplete' {
  const known = cards.get(name)
  // A number may be a card of either environment, and the cache keeps only one of them.
  if (known !== undefined && known.changes === configCache.changes)
    if (known.card.environment === message.environment) return known
  const card = cardOf(configCache, message)
  if (card === null || card.environment !== message.environment) return null
  // The controls of a subject are stored next to it: reading both at once costs one lookup.
  const cardControls = configCache.controls(card.id)
  const cardholder = configCache.cardholder(card.cardholder_id)
  const cardholderControls = configCache.controls(card.cardholder_id)
  const program = configCache.program(card.program_id)
  const programControls = configCache.controls(card.program_id)
  if (cardholder === null || program === null) return 'incomplete'
  const endpoint = program.endpoint_id === null ? null : configCache.endpoint(program.endpoint_id)
  const found = {
    card,
    cardholder,
    program,
    endpoint,
    programControls,
    cardholderControls,
    cardControls,
  }
  if (known !== undefined && areSame(known, found)) {
    known.changes = configCache.changes
    return known
  }
  const made = madeOf(found, configCache.changes)
  cards.set(name, made)
  return made
}

/** A card network finds cards only, the network of payments accounts only. */
function cardOf(
  configCache: ConfigReader,
  { environment, cardToken, fingerprint, record }: Message,
): CardConfig | null {
  if (cardToken !== null) {
    const card = configCache.cardByToken(cardToken)
    return (card?.card_type === 'account') === isPayment(record) ? card : null
  }
  return fingerprint === null ? null : configCache.cardByFingerprint(environment, fingerprint)
}

type Found = Pick<CachedCard, 'card' | 'cardholder' | 'program' | 'endpoint'> & {
  readonly [Level in
    | 'programControls'
    | 'cardholderControls'
    | 'cardControls']: ControlsConfig | null
}

/** A config record never changes in place; a new object replaces it. */
function areSame(known: CachedCard, found: Found): boolean {
  if (known.card !== found.card || known.cardholder !== found.cardholder) return false
  if (known.program !== found.program || known.endpoint !== found.endpoint) return false
  const [program, cardholder, card] = known.owners
  return (
    program?.configRecord === found.programControls &&
    cardholder?.configRecord === found.cardholderControls &&
    card?.configRecord === found.cardControls
  )
}

function ownersOf(found: Found): readonly CachedOwner[] {
  const { card, cardholder, program } = found
  return [
    ownerOf('program', program.id, found.programControls),
    ownerOf('cardholder', cardholder.id, found.cardholderControls),
    // A replacement card continues the windows of the old card.
    ownerOf(
      card.card_type === 'account' ? 'payment_account' : 'card',
      card.windows_id,
      found.cardControls,
    ),
  ]
}

function ownerOf(
  scope: ControlScope,
  subject: string,
  configRecord: ControlsConfig | null,
): CachedOwner {
  return {
    scope,
    subject,
    configRecord,
    controls: configRecord === null ? null : knownControls(configRecord),
  }
}

function madeOf(found: Found, changes: number): CachedCard {
  const { card, cardholder, program, endpoint } = found
  const owners = ownersOf(found)
  const controls: BoundControls[] = []
  for (const { controls: own } of owners)
    if (own !== null && own.bound !== null) controls.push(own.bound)
  return {
    card,
    cardholder,
    program,
    endpoint,
    owners,
    controls,
    hasOnlyDefaultWindows: owners.every(
      ({ controls: own }) => own === null || hasOnlyDefaultWindows(own, program.time_zone),
    ),
    record: recordOf({ card, cardholder, program, owners }, controls),
    windows: null,
    utcDay: 0,
    zoneDay: 0,
    packed: null,
    changes,
  }
}

function hasOnlyDefaultWindows({ counted, drafts }: CachedControls, programZone: string): boolean {
  if (drafts.length > 0) return false
  for (const { uses, limits } of counted) {
    if (uses !== '') return false
    for (const { limit, zone, filter } of limits) {
      if (limit.interval === 'per_authorization') continue
      if (filter !== '' || (zone !== UTC && zone !== programZone)) return false
    }
  }
  return true
}

function recordOf(
  {
    card,
    cardholder,
    program,
    owners,
  }: Pick<CachedCard, 'card' | 'cardholder' | 'program' | 'owners'>,
  controls: readonly BoundControls[],
): CardRecord {
  const drafts: KnownDraft[] = []
  for (const { controls: own } of owners) if (own !== null) drafts.push(...own.drafts)
  return {
    tenantId: card.tenant_id,
    programId: program.id,
    programVersion: program.version,
    cardholderId: cardholder.id,
    cardholderVersion: cardholder.version,
    cardholderStatus: cardholder.status,
    cardId: card.id,
    cardVersion: card.version,
    cardStatus: card.status,
    cardType: card.card_type,
    last4: card.last4,
    currency: card.currency,
    controlVersions: controlVersions({ controls, drafts }),
    windowsId: card.windows_id,
  }
}
