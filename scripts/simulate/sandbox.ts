// Reads the description of a running service from `sandbox.json`, and beside it the cards that only
// the simulator uses. Both files become typed here and are never inspected raw again.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Static, TSchema } from 'typebox'
import { sleep } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import { Type } from '../../shared/schema-builders.ts'
import { hasShape, shapeFault } from '../../shared/shape.ts'

export const SANDBOX_FILE = 'sandbox.json'
const SANDBOX_SECRETS_FILE = 'sandbox-secrets.json'
/** They are made within seconds of the start. */
const FURNISHED_MS_MAX = 60_000
const LOOK_AGAIN_MS = 50
const UNFURNISHED = 'The service has not made the simulator’s cards yet: see what npm start says.'

const Sandbox = Type.Object({
  api_url: Type.String(),
  engine_url: Type.String(),
  /** Absent where an older version wrote the file, null where no ISO 8583 port is open. */
  engine_iso: Type.Optional(
    Type.Union([Type.Object({ host: Type.String(), port: Type.Integer() }), Type.Null()]),
  ),
  /**
   * Where simulated devices hear of pushes. Absent where an older version wrote the file, null
   * where it is Apple’s.
   */
  apple_push: Type.Optional(
    Type.Union([Type.Object({ url: Type.String(), authority: Type.String() }), Type.Null()]),
  ),
  /**
   * Where simulated holders save and delete. Absent where an older version wrote the file, null
   * where it is Google’s.
   */
  google_wallet: Type.Optional(
    Type.Union([Type.Object({ url: Type.String(), issuer_id: Type.String() }), Type.Null()]),
  ),
  network: Type.Object({ key_id: Type.String(), secret: Type.String() }),
  keys: Type.Object({ read: Type.String(), write: Type.String(), admin: Type.String() }),
  /** Absent where an older version wrote the file. */
  operator_key: Type.Optional(Type.String()),
  /** Base of the pages of people, and who signs in there; absent with parts started alone. */
  auth_url: Type.Optional(Type.String()),
  /** The page of the sandbox’s mails, and the settler; null or absent where there is none. */
  inbox_url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  settler_url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  tenant_id: Type.Optional(Type.String()),
  owner: Type.Optional(
    Type.Object({
      email: Type.String(),
      password: Type.String(),
      totp_secret: Type.String(),
    }),
  ),
  realtime_endpoint: Type.Object({
    id: Type.String(),
    url: Type.String(),
    secret: Type.String(),
  }),
})
export type Sandbox = Static<typeof Sandbox>

const SecretCard = Type.Object({
  id: Type.String(),
  token: Type.String(),
  pan: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  cvc: Type.String(),
  cardholder_id: Type.String(),
  currency: Type.String(),
  pin: Type.Optional(Type.String()),
  wallet_token_id: Type.Optional(Type.String()),
  three_ds_id: Type.Optional(Type.String()),
})
export type SecretCard = Static<typeof SecretCard>

const SandboxSecrets = Type.Object({
  cards: Type.Record(Type.String(), SecretCard),
  /** False while cards are still being made; absent where an older version wrote the file. */
  furnished: Type.Optional(Type.Boolean()),
  /** The sandbox's own payment processor; absent where an older version wrote the file. */
  stripe_peer: Type.Optional(Type.Object({ port: Type.Integer(), key: Type.String() })),
})
export type SandboxSecrets = Static<typeof SandboxSecrets>

/** The part of the secrets that a service needs whose parts were started alone. */
const Seeded = Type.Object({
  ...SandboxSecrets.properties,
  network: Sandbox.properties.network,
  keys: Sandbox.properties.keys,
  operator: Type.Optional(Type.Object({ key: Type.String() })),
  realtime_endpoint: Type.Object({ id: Type.String(), secret: Type.String() }),
})
export type Seeded = Static<typeof Seeded>

export interface Surroundings {
  dataDir: string
  sandbox: Sandbox
  secrets: SandboxSecrets
}

/**
 * Both files of a data directory, or one sentence for the person at the terminal. Never quotes a
 * file's content.
 */
export function readSandbox(dataDir: string): Result<Surroundings, string> {
  const sandbox = readDocument(join(dataDir, SANDBOX_FILE), Sandbox)
  if (!sandbox.ok) return sandbox
  const secrets = readDocument(join(dataDir, SANDBOX_SECRETS_FILE), SandboxSecrets)
  if (!secrets.ok) return secrets
  return { ok: true, value: { dataDir, sandbox: sandbox.value, secrets: secrets.value } }
}

/** The secrets that `npm run seed` wrote for parts that were started alone, or one sentence. */
export function readSeeded(dataDir: string): Result<Seeded, string> {
  return readDocument(join(dataDir, SANDBOX_SECRETS_FILE), Seeded)
}

/** The same, once the simulator's cards are all there; a sentence where they do not come. */
export async function readFurnished(dataDir: string): Promise<Result<Surroundings, string>> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const read = readSandbox(dataDir)
    if (!read.ok || read.value.secrets.furnished !== false) return read
    if (waitedMs >= FURNISHED_MS_MAX) return { ok: false, error: UNFURNISHED }
    await sleep(LOOK_AGAIN_MS)
  }
}

function readDocument<Schema extends TSchema>(
  path: string,
  schema: Schema,
): Result<Static<Schema>, string> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return {
      ok: false,
      error:
        code === 'ENOENT'
          ? path +
            ' does not exist: start a service with `npm start`, or fill one whose parts were ' +
            'started alone with `npm run seed`.'
          : path + ' cannot be read (' + code + ').',
    }
  }
  const document = parsed(text)
  if (hasShape(schema, document)) return { ok: true, value: document }
  const fault = shapeFault(schema, document)
  return {
    ok: false,
    error: path + ' has another shape than this simulator expects: ' + fault + '.',
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is one more wrong shape; the schema check names the file.
    return undefined
  }
}

/** The card of a purpose. Throws where the sandbox was seeded without it. */
export function cardFor(secrets: SandboxSecrets, purpose: string): SecretCard {
  const card = secrets.cards[purpose]
  if (card === undefined)
    throw new Error('the sandbox has no card for ' + purpose + '; it was seeded by another version')
  return card
}

/** All cards whose purpose is `family_1`, `family_2` and so on, in that order. */
export function cardsOf(secrets: SandboxSecrets, family: string): SecretCard[] {
  const cards: SecretCard[] = []
  for (let number = 1; ; number++) {
    const card = secrets.cards[family + '_' + number]
    if (card === undefined) return cards
    cards.push(card)
  }
}
