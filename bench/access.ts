// Access: tokens refreshed, checked and revoked, sign-ins with a passkey, and refusals that tell
// nothing, over two processes of the API.
import { measureAtOnce, measureRefresh } from './access/refresh.ts'
import { measureRevocation } from './access/revocation.ts'
import { measurePasskeys, measureRefusals } from './access/sign-in.ts'
import { openAccessTestbed } from './access/testbed.ts'
import { measureTokens } from './access/tokens.ts'
import { type BenchOptions, type Findings, type Measured, measureParts } from './measured.ts'

export const ACCESS: Measured = {
  name: 'access',
  seconds: { full: 150, quick: 50 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const testbed = await openAccessTestbed()
  try {
    return await measureParts([
      ['refresh', () => measureRefresh(testbed, options)],
      ['at once', () => measureAtOnce(testbed, options)],
      ['tokens', () => measureTokens(testbed, options)],
      ['revocation', () => measureRevocation(testbed, options)],
      ['passkeys', () => measurePasskeys(testbed, options)],
      ['refusals', () => measureRefusals(testbed, options)],
    ])
  } finally {
    await testbed.close()
  }
}
