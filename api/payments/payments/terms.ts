// The terms of a payment that the holder's passkey signs, rebuilt from what is stored.
import type { TokenUnits } from '../../../shared/token-units.ts'
import { NO_ADDRESS } from '../chain/holder-account.ts'
import type { Approval } from '../chain/terms.ts'
import type { PaymentAccountRow } from '../payment-accounts/index.ts'
import type { Payee } from './store.ts'

type Hex = `0x${string}`

/** Throws for an account without a passkey: only an active account pays. */
export function approvalTerms(of: {
  account: Pick<PaymentAccountRow, 'publicX' | 'publicY' | 'recoveryAddress'>
  payee: Pick<Payee, 'address'>
  limit: TokenUnits
  /** Unix seconds. */
  validUntil: number
  salt: Hex
}): Approval {
  const { publicX, publicY, recoveryAddress } = of.account
  if (publicX === null || publicY === null) throw new Error('an active account has a passkey')
  return {
    x: `0x${publicX.toString('hex')}`,
    y: `0x${publicY.toString('hex')}`,
    recovery: (recoveryAddress ?? NO_ADDRESS) as Hex,
    payee: of.payee.address as Hex,
    limit: of.limit,
    validUntil: BigInt(of.validUntil),
    salt: of.salt,
  }
}
