// Signing in: the time of a passkey's verification at the server, and whether the time of a
// refused sign-in tells anything about the account.
import { randomBytes } from 'node:crypto'
import { insertIdentity, passwordHash } from '../../api/access/identities/index.ts'
import {
  insertPasskey,
  registrationIn,
  verifyRegistration,
} from '../../api/access/passkeys/index.ts'
import { tx } from '../../api/database/transaction.ts'
import { createPasskey, type Passkey } from '../../scripts/holder-peer/passkey.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { column, median, rounded } from '../figures.ts'
import { openLatency, percentilesOf } from '../latency.ts'
import type { BenchOptions, Findings } from '../measured.ts'
import { inTurns } from '../pairs.ts'
import type { AccessTestbed } from './testbed.ts'

const SIGN_INS = { full: 300, quick: 150 }
const WARM = 20
const PASSKEY_MS_MAX = 30
const REFUSALS = { full: 100, quick: 40 }
/** The slowest kind of account may take this much longer than the quickest. */
const KINDS_RATIO_MAX = 1.1
const PASSWORD = 'correct horse battery staple'

export async function measurePasskeys(at: AccessTestbed, options: BenchOptions): Promise<Findings> {
  const passkey = await seedPasskey(at)
  for (let count = 0; count < WARM; count++) await signIn(at, passkey)
  options.log('Signing in with a passkey.')
  const latency = openLatency()
  const count = options.quick ? SIGN_INS.quick : SIGN_INS.full
  for (let number = 0; number < count; number++) latency.record((await signIn(at, passkey)) * 1000)
  const { p50, p99 } = percentilesOf([latency.encoded()])
  return {
    lines: ['sign-in with a passkey, ms: p50 ' + p50 + ', p99 ' + p99],
    figures: { passkey_ms: { p50, p99 } },
    targets: [
      {
        sentence: 'p99 of a sign-in with a passkey, at the server : ' + PASSKEY_MS_MAX + ' ms',
        ratio: rounded(p99 / PASSKEY_MS_MAX),
        atMost: 1,
      },
    ],
    flaws: [],
  }
}

async function seedPasskey({ sql, pagesUrl, identityId }: AccessTestbed): Promise<Passkey> {
  const passkey = createPasskey(pagesUrl)
  const challenge = randomBytes(32)
  const fields = passkey.register(challenge)
  const sent = registrationIn((name) => fields[name] ?? '')
  const party = { id: 'localhost', origin: pagesUrl }
  const made = sent && (await verifyRegistration(sent, { challenge, party }))
  if (made === null) throw new Error('no passkey')
  const now = systemClock.nowMs()
  const row = { id: newId('pky', now), identityId, userHandle: randomBytes(32), createdAt: now }
  await tx(sql, (inner) => insertPasskey(inner, { ...made, ...row, name: 'Bench' }))
  return passkey
}

/** Milliseconds of the request that bears the passkey's answer. */
async function signIn({ apis: [{ port }], caller }: AccessTestbed, passkey: Passkey) {
  const page = await caller.expect(200, { port, method: 'GET', path: '/sign-in' })
  const text = page.text.replaceAll('&quot;', '"')
  const ceremony = /name="ceremony" value="([^"]*)"/.exec(text)?.[1] ?? ''
  const options = JSON.parse(/data-get="({.*?})"/.exec(text)?.[1] ?? '{}')
  const form = { ...passkey.assert(Buffer.from(options.challenge ?? '', 'base64url')), ceremony }
  const asked = { port, method: 'POST', path: '/sign-in/passkey', form } as const
  return (await caller.expect(303, asked)).ms
}

type Kind = 'unknown' | 'known' | 'disabled'

/** A wrong password of each kind of account, and sign-ups with a known and an unknown address. */
export async function measureRefusals(at: AccessTestbed, options: BenchOptions): Promise<Findings> {
  await seedAccount(at, 'known')
  await seedAccount(at, 'disabled')
  options.log('Refusing sign-ins, and signing up.')
  const count = options.quick ? REFUSALS.quick : REFUSALS.full
  const refusal = (kind: Kind) => () => refuse(at, kind)
  const kinds = {
    unknown: refusal('unknown'),
    known: refusal('known'),
    disabled: refusal('disabled'),
  }
  await inTurns(kinds, 2)
  const refused = await inTurns(kinds, count)
  const joined = { known: () => signUp(at, 'known'), unknown: () => signUp(at, 'unknown') }
  await inTurns(joined, 1)
  const signed = await inTurns(joined, count)
  const middle = (of: readonly { readonly [name: string]: number }[], name: string): number =>
    rounded(median(of.map((round) => round[name] ?? 0)))
  const at_sign_in = (['unknown', 'known', 'disabled'] as const).map((name) =>
    middle(refused, name),
  )
  const at_sign_up = (['unknown', 'known'] as const).map((name) => middle(signed, name))
  const spread = (values: readonly number[]): number =>
    rounded(Math.max(...values) / Math.min(...values))
  return {
    lines: [
      ['median ms', 'unknown', 'known', 'disabled'].map(column).join(''),
      ['refused sign-in', ...at_sign_in].map(column).join(''),
      ['sign-up', ...at_sign_up].map(column).join(''),
    ],
    figures: { refused_sign_in_ms: at_sign_in, sign_up_ms: at_sign_up },
    targets: [
      {
        sentence: 'refused sign-in, slowest kind of account : quickest',
        ratio: spread(at_sign_in),
        atMost: KINDS_RATIO_MAX,
      },
      {
        sentence: 'sign-up, known address : unknown, slower : quicker',
        ratio: spread(at_sign_up),
        atMost: KINDS_RATIO_MAX,
      },
    ],
    flaws: [],
  }
}

function addressOf(kind: Kind): string {
  return kind + '@refused.example'
}

async function seedAccount({ sql }: AccessTestbed, kind: Exclude<Kind, 'unknown'>): Promise<void> {
  const now = systemClock.nowMs()
  const id = newId('idn', now)
  const hashed = await passwordHash(PASSWORD)
  await tx(sql, (inner) =>
    insertIdentity(inner, {
      ...{ id, email: addressOf(kind), name: 'Ada', verifiedAt: now, passwordHash: hashed },
      ...{ totpSealed: null, recoveryHashes: [], createdAt: now },
    }),
  )
  if (kind === 'disabled') await sql`update identities set state = 'disabled' where id = ${id}`
}

/** A disabled account is refused with its right password, too. */
async function refuse({ apis: [{ port }], caller, sql }: AccessTestbed, kind: Kind) {
  await sql`delete from sign_in_tries`
  const password = kind === 'disabled' ? PASSWORD : 'wrong ' + PASSWORD
  const form = { email: addressOf(kind), password, code: '' }
  return (await caller.expect(422, { port, method: 'POST', path: '/sign-in', form })).ms
}

let signUps = 0

async function signUp(
  { apis: [{ port }], caller, sql }: AccessTestbed,
  kind: 'known' | 'unknown',
): Promise<number> {
  await sql`delete from sign_in_tries`
  const email = kind === 'known' ? addressOf('known') : 'new' + ++signUps + '@refused.example'
  const form = {
    ...{ form: newId('idn', systemClock.nowMs()), email, name: 'Ada', company: 'New Ltd' },
    ...{ country: 'DE', password: PASSWORD },
  }
  return (await caller.expect(303, { port, method: 'POST', path: '/sign-up', form })).ms
}
