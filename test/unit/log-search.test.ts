import { test } from 'tap'
import { Chain } from '../../api/payments/chain/chain.ts'
import type { JsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { LOG_BLOCKS_MAX } from '../../api/payments/chain/log-search.ts'
import { PLACE } from '../harness/silent-chain.ts'

const HEAD = 3 * LOG_BLOCKS_MAX
const HASH = `0x${'1'.repeat(64)}` as const
const ID = `0x${'2'.repeat(64)}` as const
const hex = (number: number): string => '0x' + number.toString(16)

/** A node with one event, or one that lacks it; null: it answers no call for logs. */
function nodeWith(event: number | 'lacks it' | null, asked: number[][] = []): JsonRpc {
  return {
    host: 'node.test',
    async call(method, params) {
      if (method !== 'eth_getLogs') return { ok: true, value: { number: hex(HEAD), hash: HASH } }
      if (event === null)
        return { ok: false, error: { kind: 'unreachable', host: 'node.test', reason: 'away' } }
      const filter = params[0] as { fromBlock: string; toBlock: string }
      const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
      asked.push([from, to])
      const has = event !== 'lacks it' && from <= event && event <= to
      return { ok: true, value: has ? [{ transactionHash: HASH }] : [] }
    },
  }
}

function search(rpcs: readonly JsonRpc[], { after = -1, least = 1 } = {}) {
  return new Chain(rpcs, { ...PLACE, least }).settledBy(ID, { after })
}

test('ranges go from the head back to the event, and no further', async (t) => {
  const asked: number[][] = []
  t.match(await search([nodeWith(HEAD - LOG_BLOCKS_MAX, asked)]), { kind: 'agreed', value: [HASH] })
  t.same(asked, [
    [HEAD - LOG_BLOCKS_MAX + 1, HEAD],
    [HEAD - 2 * LOG_BLOCKS_MAX + 1, HEAD - LOG_BLOCKS_MAX],
  ])
})

test('ranges end behind the block after which the event happened', async (t) => {
  const asked: number[][] = []
  const after = HEAD - LOG_BLOCKS_MAX - 7
  t.match(await search([nodeWith('lacks it', asked)], { after }), { kind: 'silent' })
  t.same(asked.at(-1), [after + 1, HEAD - LOG_BLOCKS_MAX])
  t.equal(asked.length, 2)
  const all: number[][] = []
  t.match(await search([nodeWith('lacks it', all)]), { kind: 'silent' })
  t.same(all.at(-1), [0, 0])
})

test('an RPC that lacks the event is outvoted; one that is away ends the search', async (t) => {
  const least = 2
  const event = LOG_BLOCKS_MAX
  const agreed = { kind: 'agreed', value: [HASH], answers: 2 }
  t.match(await search([nodeWith(event), nodeWith(event), nodeWith('lacks it')], { least }), agreed)
  t.match(await search([nodeWith(event), nodeWith(event), nodeWith(null)], { least }), agreed)
  const asked: number[][] = []
  const alone = await search([nodeWith(event, asked), nodeWith(null)], { least })
  t.match(alone, { kind: 'silent' })
  t.equal(asked.length, 1, 'the next round asks again')
})
