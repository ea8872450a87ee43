import { test } from 'tap'
import { type Abi, type Hex, parseAbi } from 'viem'
import { encodeErrorResult } from 'viem/utils'
import { REASONS, revertReason, SETTLEMENT_ABI, TOKEN_ABI } from '../../api/payments/chain/terms.ts'

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const WORDS = parseAbi(['error Error(string)'])

function data(abi: Abi, errorName: string, args: readonly unknown[] = []): Hex {
  return encodeErrorResult({ abi, errorName, args })
}

const TABLE: readonly [name: string, data: Hex | null, reason: string][] = [
  ['no data', null, 'reverted'],
  ['an error of the contract', data(SETTLEMENT_ABI, 'FeeTooHigh'), 'FeeTooHigh'],
  [
    'an error of the contract with a reason',
    data(SETTLEMENT_ABI, 'NothingLanded', [REASONS.indexOf('expired')]),
    'NothingLanded: expired',
  ],
  ['an error of the token', data(TOKEN_ABI, 'Blocked', [ADDRESS]), 'Blocked: transfer_failed'],
  [
    'words of the token',
    data(WORDS, 'Error', ['Blacklistable: account is blacklisted']),
    'Blacklistable: account is blacklisted: transfer_failed',
  ],
  ['words no terminal shows', data(WORDS, 'Error', ['\0\u001b[2J']), '??[2J: transfer_failed'],
  ['long words', data(WORDS, 'Error', ['x'.repeat(999)]), 'x'.repeat(200) + ': transfer_failed'],
  [
    'a token that answers false',
    data(SETTLEMENT_ABI, 'SafeERC20FailedOperation', [ADDRESS]),
    'SafeERC20FailedOperation: transfer_failed',
  ],
  ['an error nobody knows', '0x01020304', 'reverted with 0x01020304'],
]

for (const [name, given, reason] of TABLE)
  test('the reason of a refused rehearsal: ' + name, (t) => {
    t.equal(revertReason(given), reason)
    t.end()
  })
