// The wrong changes of the contracts that a test of forge must notice, each the loss of one
// guarantee.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONTRACTS, runForge } from '../harness/forge.ts'
import { ROOT } from '../structure/sources.ts'

interface ContractMutant {
  loses: string
  file: 'Settlement.sol' | 'HolderAccount.sol'
  from: string
  to: string
}

const SETTLEMENT: readonly Omit<ContractMutant, 'file'>[] = [
  { loses: 'the bit of a capture', from: 'before.captures & bit != 0', to: 'false' },
  { loses: 'the limit', from: 'capture.amount == 0 || spent > approval.limit', to: 'false' },
  { loses: 'the payee', from: 'if (approval.payee != payee)', to: 'if (false)' },
  { loses: 'the expiry', from: 'block.timestamp > approval.validUntil', to: 'false' },
  { loses: 'the last index', from: 'capture.index >= BITS_MAX', to: 'false' },
  { loses: 'the passkey', from: 'before.captures == 0 && !_verify(hash, capture)', to: 'false' },
  {
    loses: 'user verification',
    from: 'capture.assertion, capture.approval.x, capture.approval.y)',
    to: 'capture.assertion, capture.approval.x, capture.approval.y, false)',
  },
  { loses: 'a batch once', from: 'require(!done[batch], AlreadySettled(batch));', to: '' },
  { loses: 'the cap of the fee', from: 'require(feeBps <= FEE_BPS_MAX, FeeTooHigh());', to: '' },
  { loses: 'whole cents of the fee', from: ' / CENT * CENT', to: '' },
  {
    loses: 'the sponsor',
    from: 'require(msg.sender == operator, NotOperator());\n        require(!done[batch]',
    to: 'require(!done[batch]',
  },
  {
    loses: 'the owner',
    from: 'address operator_) external onlyOwner',
    to: 'address operator_) external',
  },
  { loses: 'the state of a failed capture', from: 'spending[hash] = before;', to: '' },
  { loses: 'failing as one', from: 'if (gross == 0 && refunded == 0)', to: 'if (false)' },
  {
    loses: 'the reserve of gas',
    from: 'require(gasleft() > TRANSFER_GAS, TooLittleGas());\n        try',
    to: 'try',
  },
  {
    loses: 'the reserve of gas of a refund',
    from: 'require(gasleft() > TRANSFER_GAS, TooLittleGas());\n        return',
    to: 'return',
  },
  { loses: 'sums of 64 bits', from: 'spent > type(uint64).max', to: 'false' },
  { loses: 'a refund once', from: 'before.refunds & bit != 0', to: 'false' },
  { loses: 'the last index of refunds', from: 'if (index >= BITS_MAX)', to: 'if (false)' },
  {
    loses: 'refunds within captures',
    from: 'refund.amount == 0 || refunded > before.spent',
    to: 'false',
  },
  { loses: 'the payee of a refund', from: 'refund.approval.payee != payee', to: 'false' },
  {
    loses: 'the state of a failed refund',
    from: 'spending[hash].refunds ^= uint64(1) << uint8(uint256(refund.id));',
    to: '',
  },
  {
    loses: 'the sum of a failed refund',
    from: 'spending[hash].refunded -= uint64(refund.amount);',
    to: '',
  },
]

const WITHDRAWALS: readonly Omit<ContractMutant, 'file'>[] = [
  {
    loses: 'a release once',
    from: 'require(!done[withdrawal.id], AlreadySettled(withdrawal.id));',
    to: '',
  },
  {
    loses: 'the sponsor of a release',
    from: 'require(msg.sender == operator, NotOperator());\n        require(!done[withdrawal.id]',
    to: 'require(!done[withdrawal.id]',
  },
  { loses: 'the sum of a payee', from: 'int256(net) - int256(drawn)', to: 'int256(net)' },
]

const HOLDER_ACCOUNT: readonly Omit<ContractMutant, 'file'>[] = [
  {
    loses: 'Settlement alone pulls',
    from: 'require(msg.sender == settlement, NotSettlement());\n        token',
    to: 'token',
  },
  { loses: 'the delay', from: 'DELAY = 9 days', to: 'DELAY = 0' },
  {
    loses: 'the delay of others',
    from: 'block.timestamp >= readyAt || msg.sender == IOperated(settlement).operator()',
    to: 'true',
  },
  { loses: 'user verification', from: 'assertion, x, y)', to: 'assertion, x, y, false)' },
  {
    loses: 'the passkey',
    from: 'require(WebAuthn.verify(abi.encodePacked(challenge), assertion, x, y), InvalidAssertion());',
    to: '',
  },
  { loses: 'an assertion once', from: 'nonce += 1;', to: '' },
  { loses: 'the recovery address', from: '&& msg.sender == recovery', to: '' },
  { loses: 'accounts without recovery', from: 'recovery != address(0) &&', to: '' },
  {
    loses: 'the place of the holder',
    from: 'require(to == address(0), AlreadyWaiting());',
    to: '',
  },
  { loses: 'the end of a withdrawal', from: '(amount, to, readyAt) = (0, address(0), 0);', to: '' },
  {
    loses: 'Settlement alone releases',
    from: 'require(msg.sender == settlement, NotSettlement());\n        _use(',
    to: '_use(',
  },
  { loses: 'the count of what left', from: 'withdrawn += uint128(paid);', to: '' },
  { loses: 'an empty Settlement', from: ' && to_ != settlement', to: '' },
]

const MUTANTS: readonly ContractMutant[] = [
  ...SETTLEMENT.map((mutant) => ({ ...mutant, file: 'Settlement.sol' as const })),
  ...WITHDRAWALS.map((mutant) => ({ ...mutant, file: 'Settlement.sol' as const })),
  ...HOLDER_ACCOUNT.map((mutant) => ({ ...mutant, file: 'HolderAccount.sol' as const })),
]

const INVARIANT_RUNS = '4'
const print = (line: string): void => void process.stdout.write(line + '\n')

/**
 * Makes each wrong change in a copy, or those whose loss has a word of `only` (`refund,release`),
 * and asks forge; the exit code. Prints a table.
 */
export async function mutateContracts(only: string): Promise<number> {
  const words = only.split(',')
  const mutants = MUTANTS.filter(({ loses }) => words.some((word) => loses.includes(word)))
  const root = mkdtempSync(join(tmpdir(), 'svc-contracts-'))
  const folder = join(root, CONTRACTS)
  mkdirSync(folder, { recursive: true })
  cpSync(join(ROOT, CONTRACTS), folder, { recursive: true })
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
  for (const name of ['@openzeppelin', 'solc', 'command-exists', 'commander', 'follow-redirects'])
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  let open = 0
  try {
    for (const mutant of mutants) {
      const path = join(folder, mutant.file)
      const text = readFileSync(path, 'utf8')
      if (text.split(mutant.from).length !== 2) throw new Error('Not once: ' + mutant.from)
      writeFileSync(
        path,
        text.replace(mutant.from, () => mutant.to),
      )
      const { code, output } = await runForge(folder, { FOUNDRY_INVARIANT_RUNS: INVARIANT_RUNS })
      writeFileSync(path, text)
      const failed = [...output.matchAll(/^\[FAIL[^\]]*\][^\n]*?(\w+)\(/gm)].map(([, name]) => name)
      const noticed = code !== 0 && failed.length > 0
      if (!noticed) open += 1
      print(
        mutant.file +
          '  ' +
          mutant.loses +
          ': ' +
          (noticed ? [...new Set(failed)].join(', ') : 'OPEN'),
      )
      if (code !== 0 && failed.length === 0) print(output.slice(-2000))
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  print(mutants.length + ' wrong changes, ' + open + ' of them noticed by no test')
  return open === 0 ? 0 : 1
}
