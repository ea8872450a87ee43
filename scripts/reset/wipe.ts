// The wipe as an integrator calls it: asked for with the admin key, approved by the owner on the
// page of the challenge, asked for again with the token.
import { Secret, TOTP } from 'otpauth'
import { type Client, createClient, SvcConnectionError, SvcError } from '../../client/index.ts'
import type { Result } from '../../shared/result.ts'
import type { SandboxSecrets } from '../start/sandbox-secrets.ts'

const CALL_MS_MAX = 60_000

/** Returns when database and engine have forgotten the sandbox, or a sentence about the refusal. */
export async function wipeSandbox(
  apiUrl: string,
  { keys, owner }: SandboxSecrets,
): Promise<Result<null, string>> {
  const client = createClient({ baseUrl: apiUrl, key: keys.admin, timeoutMs: CALL_MS_MAX })
  try {
    await client.wipeSandbox()
    return { ok: true, value: null }
  } catch (error) {
    const challenge = error instanceof SvcError ? challengeIn(error) : null
    if (challenge === null) return { ok: false, error: sentenceOf(error) }
    if (owner === undefined)
      return { ok: false, error: 'The sandbox has no owner who could approve: run npm run seed.' }
    return approveAndWipe(client, challenge, owner)
  }
}

interface Challenge {
  id: string
  pageUrl: string
}

async function approveAndWipe(
  client: Client,
  { id, pageUrl }: Challenge,
  { email, password, totp_secret: secret }: NonNullable<SandboxSecrets['owner']>,
): Promise<Result<null, string>> {
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const form = { decision: 'approve', email, password, code }
  try {
    const decided = await fetch(pageUrl, {
      method: 'POST',
      // The page takes no form of another site.
      headers: { origin: new URL(pageUrl).origin },
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(CALL_MS_MAX),
    })
    await decided.arrayBuffer()
    if (!decided.ok) return { ok: false, error: refusalOfOwner(decided.status) }
    const { token } = await client.getFactorChallenge({ id })
    await client.wipeSandbox({}, { factor: String(token) })
    return { ok: true, value: null }
  } catch (error) {
    return { ok: false, error: sentenceOf(error) }
  }
}

function refusalOfOwner(status: number): string {
  return (
    'The owner of the sandbox cannot approve (' +
    status +
    '): a code counts once, so wait half a minute; or the password or the authenticator was changed.'
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
