import { test } from 'tap'
import { Chain } from '../../api/payments/chain/chain.ts'
import type { JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { withinCap } from '../../api/payments/settler/sign.ts'
import { PLACE } from '../harness/silent-chain.ts'

/** A node that tells these fees. */
function nodeThatTells(history: unknown, asked: unknown[] = []): Chain {
  const rpc = {
    host: 'node.test',
    call: (method: string, params: readonly unknown[]) => {
      asked.push([method, ...params])
      return Promise.resolve({ ok: true, value: history })
    },
  } as JsonRpc
  return new Chain([rpc], PLACE)
}

const hex = (wei: number): string => '0x' + wei.toString(16)

test('the tip is the median of the last ten blocks, the most twice the next base fee more', async (t) => {
  const asked: unknown[] = []
  const tips = [1, 900, 2, 3, 800, 4, 5, 6, 7, 8]
  const history = {
    baseFeePerGas: [...tips.map(() => hex(10)), hex(50)],
    reward: tips.map((tip) => [hex(tip)]),
  }
  t.same(await nodeThatTells(history, asked).fees(), { tip: 6n, max: 106n })
  t.same(asked, [['eth_feeHistory', '0xa', 'latest', [50]]])
})

test('a young chain has few blocks, and no answer is no fee', async (t) => {
  const young = { baseFeePerGas: [hex(7), hex(8)], reward: [[hex(3)]] }
  t.same(await nodeThatTells(young).fees(), { tip: 3n, max: 19n })
  for (const broken of [null, {}, { baseFeePerGas: [], reward: [] }, { ...young, reward: [[]] }])
    t.equal(await nodeThatTells(broken).fees(), null)
})

test('the cap holds for both fees', (t) => {
  t.same(withinCap({ tip: 3n, max: 10n }, 20n), { tip: 3n, max: 10n })
  t.same(withinCap({ tip: 3n, max: 30n }, 20n), { tip: 3n, max: 20n })
  t.same(withinCap({ tip: 30n, max: 90n }, 20n), { tip: 20n, max: 20n })
  t.end()
})
