// Config records of cards by the million, as an api pushes them in full, and the network that sends
// messages about these cards.
import { randomBytes } from 'node:crypto'
import { systemClock } from '../../shared/clock.ts'
import { encodeId, newId, randomSecret } from '../../shared/id.ts'
import {
  type Derivation,
  deriveKeys,
  type MasterKeys,
  ROOT_BYTES,
  SEAL_CONTEXTS,
  seal,
} from '../../shared/keyring.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import type { ConfigRecord, ProgramConfig } from '../../shared/wire/config-records.ts'
import { judgedConfig } from '../../test/harness/judged.ts'
import {
  CURRENCY,
  controlsOf,
  EXP_MONTH,
  EXP_YEAR,
  idOf,
  panOf,
  printedCard,
  type Seeded,
  tokenOf,
} from './seed.ts'

/** Cards of one part of a full copy: an engine takes 10,000 records at once. */
const PART = 3000

export interface CardsPlan {
  cards: number
  /** Places between two cards; 1 when absent. */
  step?: number
  /** Without cardholders and controls, which a front door does not keep. */
  cardsOnly?: boolean
}

/** One network and its programs, with as many cards as a plan says. */
export interface CardWorld {
  network: Seeded['network']
  /** The cards of a plan, as messages name them. */
  seeded(plan: CardsPlan): Seeded
  /** All records of a plan, by parts of a full copy. */
  records(plan: CardsPlan): Generator<readonly ConfigRecord[]>
}

/**
 * `shards` get a program each, and the cards go to these in turn; null: one program of the only
 * shard. Makes the master key of the data directory where it is missing.
 */
export function openCardWorld(dataDir: string, shards: readonly string[] | null): CardWorld {
  const loaded = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!loaded.ok) throw new Error(loaded.error)
  const network = { key_id: newId('nkey', systemClock.nowMs()), secret: 'nsec_' + randomSecret(24) }
  const root = randomBytes(ROOT_BYTES)
  const derivation = deriveKeys(root, encodeId)
  const programs = programsOf(shards)
  const first: ConfigRecord[] = [
    {
      type: 'root',
      id: 'root',
      version: 1,
      sealed: seal(loaded.value, SEAL_CONTEXTS.root, root),
    },
    networkKey(loaded.value, network),
    ...programs,
  ]
  return {
    network,
    seeded: ({ cards, step = 1 }) => ({
      network,
      cardsOf(program, by) {
        const own: ReturnType<Seeded['cardsOf']> = []
        for (let at = program; at < cards; at += programs.length)
          own.push(
            by === 'token' ? { token: tokenOf(at * step) } : printedCard(derivation, at * step),
          )
        return own
      },
    }),
    records: (plan) => recordsOf(first, plan, { derivation, programs }),
  }
}

function programsOf(shards: readonly string[] | null): ProgramConfig[] {
  const { program } = judgedConfig()
  if (shards === null) return [program]
  return shards.map((shard, at) => ({ ...program, id: 'prog_' + (at + 1), shard }))
}

function networkKey(keys: MasterKeys, network: Seeded['network']): ConfigRecord {
  return {
    type: 'network_key',
    id: network.key_id,
    version: 1,
    network: 'simnet',
    environment: 'sandbox',
    sealed_secret: seal(keys, SEAL_CONTEXTS.networkSecret, network.secret),
  }
}

interface Owners {
  derivation: Derivation
  programs: readonly ProgramConfig[]
}

function* recordsOf(
  first: readonly ConfigRecord[],
  { cards, step = 1, cardsOnly = false }: CardsPlan,
  { derivation, programs }: Owners,
): Generator<readonly ConfigRecord[]> {
  yield first
  for (let from = 0; from < cards; from += PART) {
    const count = Math.min(PART, cards - from)
    yield Array.from({ length: count }, (_, index) => {
      const at = from + index
      const program = programs[at % programs.length]?.id ?? ''
      const of = { at: at * step, program }
      return cardsOnly ? [cardRecord(of, derivation)] : subjectsOf(of, derivation)
    }).flat()
  }
}

const { card: CARD, cardholder: CARDHOLDER } = judgedConfig()
const CONTROLS = controlsOf(1)

interface PlacedCard {
  at: number
  program: string
}

/** A cardholder, the card and its controls, all of its own. */
function subjectsOf(of: PlacedCard, derivation: Derivation): ConfigRecord[] {
  const card = cardRecord(of, derivation)
  return [
    { ...CARDHOLDER, id: idOf('ch', of.at), program_id: of.program },
    card,
    { type: 'controls', id: card.id, version: 1, scope: 'card', controls: CONTROLS },
  ]
}

function cardRecord({ at, program }: PlacedCard, derivation: Derivation): ConfigRecord {
  const [id, pan] = [idOf('card', at), panOf(at)]
  const fingerprint = derivation.fingerprint(pan)
  const cvc = derivation.cvc(pan, EXP_MONTH, EXP_YEAR)
  return {
    ...CARD,
    id,
    program_id: program,
    cardholder_id: idOf('ch', at),
    token: tokenOf(at),
    fingerprint,
    last4: pan.slice(-4),
    exp_month: EXP_MONTH,
    exp_year: EXP_YEAR,
    cvc_verifier: derivation.cvcVerifier(fingerprint, cvc),
    currency: CURRENCY,
    windows_id: id,
  }
}
