// The wipe as an integrator calls it: asked for with the admin key, approved by the owner on the
// page of the challenge, asked for again with the token.
import { Secret, TOTP } from 'otpauth'
import { type Client, createClient, SvcConnectionError, SvcError } from '../../client/index.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Result } from '../../shared/result.ts'
import { BUSY, repeatBusy } from '../repeat-busy.ts'
import type { SandboxOwner, SandboxSecrets } from '../start/sandbox-secrets.ts'

const CALL_MS_MAX = 60_000
/** A code of the second factor counts this long, and once. */
const STEP_MS = 30_000
/** The page refuses the person: password or code. */
const WRONG = 422
const PATIENCE = { repeatsMax: 6, firstMs: 100 }

/** Where the wipe is called, and how a wait for the next code passes. */
export interface WipeWorld {
  apiUrl: string
  clock: Pick<Clock, 'nowMs' | 'after'>
  /** For the person at the terminal. */
  say(line: string): void
}

/**
 * Returns when database and engine have forgotten the sandbox, or a sentence about the refusal.
 * Waits once for the owner's next code where the present one was used, up to 30 s.
 */
export async function wipeSandbox(
  world: WipeWorld,
  { keys, owner }: Pick<SandboxSecrets, 'keys' | 'owner'>,
): Promise<Result<null, string>> {
  const { apiUrl: baseUrl } = world
  const client = createClient({ baseUrl, key: keys.admin, timeoutMs: CALL_MS_MAX })
  try {
    await client.wipeSandbox()
    return { ok: true, value: null }
  } catch (error) {
    const challenge = error instanceof SvcError ? challengeIn(error) : null
    if (challenge === null) return { ok: false, error: sentenceOf(error) }
    if (owner === undefined)
      return { ok: false, error: 'The sandbox has no owner who could approve: run npm run seed.' }
    return approveAndWipe(world, client, { challenge, owner })
  }
}

interface Challenge {
  id: string
  pageUrl: string
}

interface Approval {
  challenge: Challenge
  owner: SandboxOwner
}

async function approveAndWipe(
  world: WipeWorld,
  client: Client,
  approval: Approval,
): Promise<Result<null, string>> {
  try {
    let status = await approve(world, approval)
    if (status === WRONG) {
      world.say('The present code of the owner counts no more: waiting for the next one.')
      await nextStep(world)
      status = await approve(world, approval)
    }
    if (status >= 400) return { ok: false, error: refusalOfOwner(status) }
    const { token } = await client.getFactorChallenge({ id: approval.challenge.id })
    await client.wipeSandbox({}, { factor: String(token) })
    return { ok: true, value: null }
  } catch (error) {
    return { ok: false, error: sentenceOf(error) }
  }
}

/** The status with which the page answers the owner; asks again where the service was too busy. */
async function approve(world: WipeWorld, approval: Approval): Promise<number> {
  const { status } = await repeatBusy(() => approveOnce(world, approval), PATIENCE)
  return status
}

async function approveOnce(
  { clock }: WipeWorld,
  { challenge: { pageUrl }, owner: { email, password, totp_secret: secret } }: Approval,
): Promise<Response> {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const code = totp.generate({ timestamp: clock.nowMs() })
  const decided = await fetch(pageUrl, {
    method: 'POST',
    // The page takes no form of another site.
    headers: { origin: new URL(pageUrl).origin },
    body: new URLSearchParams({ decision: 'approve', email, password, code }),
    signal: AbortSignal.timeout(CALL_MS_MAX),
  })
  await decided.arrayBuffer()
  return decided
}

/** Resolves when the generator shows another code. */
function nextStep({ clock }: WipeWorld): Promise<void> {
  return new Promise((resolve) => {
    clock.after(STEP_MS - (clock.nowMs() % STEP_MS), resolve)
  })
}

function refusalOfOwner(status: number): string {
  if (status === BUSY) return 'The service was too busy to take the approval (503). Try again.'
  return (
    'The owner of the sandbox cannot approve (' +
    status +
    '): the password or the authenticator was changed, or there were too many tries.'
  )
}

function challengeIn(error: SvcError): Challenge | null {
  const { challenge, challenge_url: pageUrl } = error.detail
  if (error.code !== 'factor_required' || typeof challenge !== 'object' || challenge === null)
    return null
  const id: unknown = Reflect.get(challenge, 'id')
  return typeof id === 'string' && typeof pageUrl === 'string' ? { id, pageUrl } : null
}

function sentenceOf(error: unknown): string {
  if (error instanceof SvcError) return 'The API refuses: ' + error.code + ': ' + error.message
  if (error instanceof SvcConnectionError) return error.message
  throw error
}
