// The node of the sandbox's own chain, as a story disturbs it: blocks are replaced, and the token
// pauses.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { systemClock } from '../../../shared/clock.ts'
import { centsOfUnits } from '../../../shared/token-units.ts'
import { openBank } from '../../chain-peer/bank.ts'
import { CHAIN_DIRECTORY, CHAIN_FILE } from '../../chain-peer/config.ts'
import { tokensOf } from '../../chain-peer/deploy.ts'
import type { Stage } from '../stage.ts'

const BOUNDS = { callMsMax: 10_000, answerBytesMax: 1_000_000 }

export interface ChainRpc {
  ask(method: string, params: readonly unknown[]): Promise<unknown>
  pause(paused: boolean): Promise<void>
  /** Cents of an address at the latest block. */
  centsOf(address: string): Promise<number>
}

export function openChainRpc(stage: Stage): ChainRpc {
  const directory = join(stage.surroundings.dataDir, CHAIN_DIRECTORY)
  const { rpc_urls: urls, token } = JSON.parse(readFileSync(join(directory, CHAIN_FILE), 'utf8'))
  const caller = openOutsideCaller({ clock: systemClock, ...BOUNDS })
  const rpc = createJsonRpc(urls[0], caller)
  const bank = openBank(directory, systemClock)
  stage.afterwards(async () => {
    await bank.close()
    await caller.close()
  })
  return {
    async ask(method, params) {
      const answer = await rpc.call(method, params)
      if (answer.ok) return answer.value
      throw new Error(method + ': ' + JSON.stringify(answer.error))
    },
    pause: (paused) => bank.setPaused(paused),
    centsOf: async (address) => centsOfUnits(await tokensOf(rpc, token, address as `0x${string}`)),
  }
}
