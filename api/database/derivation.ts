// The keyed hashes of this installation, opened for every check or creation of a number, a CVC, a
// PIN or a pass.
import { createHmac } from 'node:crypto'
import { assert } from '../../shared/assert.ts'
import { encodeId } from '../../shared/id.ts'
import { type Derivation, deriveKeys, SEAL_CONTEXTS, type Unseal } from '../../shared/keyring.ts'
import type { SqlTag } from './pool.ts'

/**
 * Throws when there is no root, or the master keys do not open it: then the installation can
 * neither issue nor compare.
 */
export async function openDerivation(
  sql: SqlTag,
  { unseal }: { unseal: Unseal },
): Promise<Derivation> {
  return deriveKeys(await openRoot(sql, unseal), encodeId)
}

async function openRoot(sql: SqlTag, unseal: Unseal): Promise<Buffer> {
  const [row] = await sql<{ sealed: string }[]>`select sealed from derivation_root`
  assert(row !== undefined, 'a database with cards has a derivation root')
  const root = unseal(SEAL_CONTEXTS.root, row.sealed)
  assert(root.ok, 'the master keys open the derivation root')
  return root.value
}

/** Keys derived from the same root for wallet passes. */
export interface PassKeys {
  /**
   * 16 characters of Crockford's alphabet, 80 bits, that only we can make for a pass: the check in
   * the scanned payload.
   */
  payloadCheck(passId: string): string
  /** 32 hex characters by which a device proves that it has the pass. */
  authenticationToken(passId: string): string
}

/** Throws as `openDerivation` does. */
export async function openPassKeys(sql: SqlTag, { unseal }: { unseal: Unseal }): Promise<PassKeys> {
  const root = await openRoot(sql, unseal)
  const keyFor = (purpose: string): Buffer => createHmac('sha256', root).update(purpose).digest()
  const payloadKey = keyFor('pass-payload')
  const tokenKey = keyFor('pass-authentication-token')
  return {
    payloadCheck: (passId) =>
      encodeId(createHmac('sha256', payloadKey).update(passId).digest().subarray(0, 16)).slice(-16),
    authenticationToken: (passId) =>
      createHmac('sha256', tokenKey).update(passId).digest('hex').slice(0, 32),
  }
}

/** Keys derived from the same root for OAuth. */
export interface OauthKeys {
  /** Signs the cookies of authorization requests. */
  cookieKey: string
  /** Makes and checks nonces for proofs of possession; the same in every process. */
  nonceSecret: Buffer
  /**
   * An endless stream of bytes for one text: a repeat of a refresh under its Idempotency-Key gets
   * the tokens of the first call.
   */
  bytesFor(text: string): (bytes: number) => Buffer
}

/** Throws as `openDerivation` does. */
export async function openOauthKeys(
  sql: SqlTag,
  { unseal }: { unseal: Unseal },
): Promise<OauthKeys> {
  const root = await openRoot(sql, unseal)
  const keyFor = (purpose: string): Buffer => createHmac('sha256', root).update(purpose).digest()
  const repeatKey = keyFor('oauth-repeat')
  return {
    cookieKey: keyFor('oauth-cookie').toString('base64url'),
    nonceSecret: keyFor('oauth-nonce'),
    bytesFor(text) {
      let block = 0
      return (bytes) => {
        const parts: Buffer[] = []
        for (let have = 0; have < bytes; have += 64) {
          const part = createHmac('sha512', repeatKey).update(block++ + ' ' + text)
          parts.push(part.digest())
        }
        return Buffer.concat(parts).subarray(0, bytes)
      }
    },
  }
}
