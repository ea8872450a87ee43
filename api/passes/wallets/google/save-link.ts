// The link by which a holder puts a pass into Google's wallet: a signed token that names an
// existing object. The link therefore stays short, and reveals no content of the pass.
import { SignJWT } from 'jose'
import { type EpochMs, unixSeconds } from '../../../../shared/clock.ts'
import { type GoogleIssuer, googleId } from './account.ts'

/**
 * Google, “Issue passes with the Google Wallet API”: RS256, `typ` savetowallet. The link does not
 * expire.
 */
export async function saveLink(
  issuer: Pick<GoogleIssuer, 'issuerId' | 'email' | 'keyId' | 'key' | 'payUrl'>,
  passId: string,
  now: EpochMs,
): Promise<string> {
  const payload = { genericObjects: [{ id: googleId(issuer, passId) }] }
  const token = await new SignJWT({ typ: 'savetowallet', payload })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: issuer.keyId })
    .setIssuer(issuer.email)
    .setAudience('google')
    .setIssuedAt(unixSeconds(now))
    .sign(issuer.key)
  return issuer.payUrl + '/gp/v/save/' + token
}
