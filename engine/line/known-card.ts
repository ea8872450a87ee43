// What the facts say of a card and of those whose controls bind it: looked up once, and again when facts have changed. A message
// then finds in one place what else stands in seven rows and a dozen of maps. Part of gather.

import type { PackedParts } from '../../shared/wire/decision-writer.ts'
import type {
  CardFact,
  CardholderFact,
  ControlScope,
  ControlsFact,
  EndpointFact,
  ProgramFact,
} from '../../shared/wire/facts.ts'
import type { CardRecord } from '../../shared/wire/journal-entry.ts'
import type { FactsReader } from '../facts/reader.ts'
import { KeptLately } from '../kept-lately.ts'
import { controlVersions } from '../rules/control-versions.ts'
import type { BoundControls } from '../rules/rule.ts'
import { type KnownControls, type KnownDraft, knownControls } from './known-controls.ts'
import type { PlainWindows } from './limit-views.ts'
import type { Line, Message } from './line.ts'

/** Cards kept, each with some two kilobytes of facts. */
const CARDS_MAX = 16_384
/** Of those that came once. */
const NAMES_MAX = 32_768
const UTC = 'UTC'

/** Whose controls bind the card, and in whose windows it counts. */
export interface KnownOwner {
  readonly scope: ControlScope
  readonly subject: string
  /** Null where there are none. */
  readonly fact: ControlsFact | null
  readonly controls: KnownControls | null
}

export interface KnownCard {
  readonly card: CardFact
  readonly cardholder: CardholderFact
  readonly program: ProgramFact
  readonly endpoint: EndpointFact | null
  /** Program, cardholder and card. */
  readonly owners: readonly KnownOwner[]
  /** Active controls of all three, as if they had never been used. */
  readonly controls: readonly BoundControls[]
  /** True where nothing counts in other windows than those of the calendars, and there is no draft. */
  readonly isPlain: boolean
  readonly record: CardRecord
  /** Of a plain card the windows of the days it was last seen on, in UTC and the program's zone; null before that. */
  windows: PlainWindows | null
  utcDay: number
  zoneDay: number
  /** What its entries have in common, made when it comes again. */
  packed: PackedParts | null
  /** How often facts had changed when this was looked up. */
  changes: number
}

/** The cards of one line that came lately, by what messages name them with. */
class KnownCards {
  readonly byToken = new KeptLately<KnownCard>(CARDS_MAX, NAMES_MAX)
  readonly byFingerprint = new KeptLately<KnownCard>(CARDS_MAX, NAMES_MAX)
}

const ofLine = new WeakMap<Line, KnownCards>()

/** Null: no such card. `incomplete`: the facts contradict themselves, so nothing may be decided on them. */
export function knownCard(line: Line, message: Message): KnownCard | null | 'incomplete' {
  let cards = ofLine.get(line)
  if (cards === undefined) {
    cards = new KnownCards()
    ofLine.set(line, cards)
  }
  const { cardToken, fingerprint } = message
  if (cardToken !== null) return cardNamed(line.facts, message, cards.byToken, cardToken)
  return fingerprint === null
    ? null
    : cardNamed(line.facts, message, cards.byFingerprint, fingerprint)
}

function cardNamed(
  facts: FactsReader,
  message: Message,
  cards: KeptLately<KnownCard>,
  name: string,
): KnownCard | null | 'incomplete' {
  const known = cards.get(name)
  // A number may be a card of either environment, and only one of them is kept.
  if (known !== undefined && known.changes === facts.changes)
    if (known.card.environment === message.environment) return known
  const card = cardOf(facts, message)
  if (card === null || card.environment !== message.environment) return null
  // The controls of a subject are found where it was: whoever asks for both at once has them for one look-up.
  const cardControls = facts.controls(card.id)
  const cardholder = facts.cardholder(card.cardholder_id)
  const cardholderControls = facts.controls(card.cardholder_id)
  const program = facts.program(card.program_id)
  const programControls = facts.controls(card.program_id)
  if (cardholder === null || program === null) return 'incomplete'
  const endpoint = program.endpoint_id === null ? null : facts.endpoint(program.endpoint_id)
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
    known.changes = facts.changes
    return known
  }
  const made = madeOf(found, facts.changes)
  cards.set(name, made)
  return made
}

function cardOf(
  facts: FactsReader,
  { environment, cardToken, fingerprint }: Message,
): CardFact | null {
  if (cardToken !== null) return facts.cardByToken(cardToken)
  return fingerprint === null ? null : facts.cardByFingerprint(environment, fingerprint)
}

type Found = Pick<KnownCard, 'card' | 'cardholder' | 'program' | 'endpoint'> & {
  readonly [Level in 'programControls' | 'cardholderControls' | 'cardControls']: ControlsFact | null
}

/** Facts never change but by another in their place. */
function areSame(known: KnownCard, found: Found): boolean {
  if (known.card !== found.card || known.cardholder !== found.cardholder) return false
  if (known.program !== found.program || known.endpoint !== found.endpoint) return false
  const [program, cardholder, card] = known.owners
  return (
    program?.fact === found.programControls &&
    cardholder?.fact === found.cardholderControls &&
    card?.fact === found.cardControls
  )
}

function ownersOf(found: Found): readonly KnownOwner[] {
  const { card, cardholder, program } = found
  return [
    ownerOf('program', program.id, found.programControls),
    ownerOf('cardholder', cardholder.id, found.cardholderControls),
    // A replacement goes on with the windows of the card it replaces.
    ownerOf('card', card.windows_id, found.cardControls),
  ]
}

function ownerOf(scope: ControlScope, subject: string, fact: ControlsFact | null): KnownOwner {
  return { scope, subject, fact, controls: fact === null ? null : knownControls(fact) }
}

function madeOf(found: Found, changes: number): KnownCard {
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
    isPlain: owners.every(({ controls: own }) => own === null || isPlain(own, program.time_zone)),
    record: recordOf({ card, cardholder, program, owners }, controls),
    windows: null,
    utcDay: 0,
    zoneDay: 0,
    packed: null,
    changes,
  }
}

function isPlain({ counted, drafts }: KnownControls, programZone: string): boolean {
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
  }: Pick<KnownCard, 'card' | 'cardholder' | 'program' | 'owners'>,
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
