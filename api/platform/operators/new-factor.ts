// A new second factor: the part shown once, and the stored part.
import { assert } from '../../../shared/assert.ts'
import { SEAL_CONTEXTS } from '../../../shared/keyring.ts'
import { newRecoveryCodes, newTotpSecret, recoveryHash } from '../../access/identities/index.ts'
import type { OperatorContext } from '../../context.ts'

interface NewFactor {
  shown: { totp_secret: string; recovery_codes: string[] }
  kept: { totpSealed: string; recoveryHashes: readonly Buffer[] }
}

export function newFactor({ seal }: Pick<OperatorContext, 'seal'>): NewFactor {
  const secret = newTotpSecret()
  const codes = newRecoveryCodes()
  return {
    shown: { totp_secret: secret, recovery_codes: codes },
    kept: {
      totpSealed: seal(SEAL_CONTEXTS.totpSecret, secret),
      recoveryHashes: codes.map(hashOf),
    },
  }
}

function hashOf(code: string): Buffer {
  const hash = recoveryHash(code)
  assert(hash !== null, 'a recovery code of ours has its form')
  return hash
}
