// A holder leaves with the money although the service does nothing: whoever runs the service cannot
// keep it.
import { openOutsideCaller } from '../../../api/http/outside-caller.ts'
import { holderAddress } from '../../../api/payments/chain/holder-account.ts'
import { createJsonRpc } from '../../../api/payments/chain/json-rpc.ts'
import { systemClock } from '../../../shared/clock.ts'
import { centsOfUnits, unitsOfCents } from '../../../shared/token-units.ts'
import { startAnvil } from '../../chain-peer/anvil.ts'
import { deploySandbox, type Hex, tokensOf } from '../../chain-peer/deploy.ts'
import { freshAddress } from '../../chain-peer/fresh-address.ts'
import {
  cancelRequest,
  type HolderChain,
  requestAll,
  withdrawOwn,
} from '../../chain-peer/own-withdrawal.ts'
import { createPasskey } from '../../holder-peer/passkey.ts'
import { loopbackPort } from '../../start/ports.ts'
import { openChainRpc } from '../payments/chain-rpc.ts'
import { Payer } from '../payments/payer.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const CENTS = 800
const FUNDED_CENTS = 10_000
const CHAIN_ID = 31_338
const DELAY_S = 9 * 86_400
const BOUNDS = { callMsMax: 10_000, answerBytesMax: 1_000_000 }
const NOBODY: Hex = `0x${'0'.repeat(40)}`

export const OWN_WITHDRAWALS: readonly Scenario[] = [
  {
    name: 'withdrawal_without_the_service',
    story:
      'A holder asks the chain itself for everything: nothing more is approved, and after nine days the money is out.',
    async play(stage) {
      const payer = await Payer.open(stage, { fundedCents: FUNDED_CENTS, ownPasskey: true })
      if (payer === null) return
      await playBeside(payer, stage)
      await playAlone(stage)
    },
  },
]

/** The service notices the request, and its end. */
async function playBeside(payer: Payer, stage: Stage): Promise<void> {
  const { passkey } = payer
  if (passkey === null) throw new Error('the payer has no passkey of its own')
  const { chain_id: chainId, address } = await payer.account()
  const { ask, settlement } = openChainRpc(stage)
  const chain: HolderChain = {
    config: { chainId: Number(chainId), settlement },
    ask,
    mine: async () => undefined,
  }
  const holder = { address: String(address) as Hex, passkey }
  await requestAll(chain, holder, freshAddress())
  const leaving = await payer.until(
    () => payer.account(),
    ({ leaving_cents: now }) => now === FUNDED_CENTS,
  )
  stage.check('account', { leaving_cents: FUNDED_CENTS, available_cents: 0 }, leaving)
  const declined = await payer.until(
    () => payer.ask(CENTS),
    ({ status }) => status === 'risk_declined',
  )
  stage.check('payment', { decline_reason: 'insufficient_funds' }, declined)
  await cancelRequest(chain, holder)
  const staying = await payer.until(
    () => payer.account(),
    ({ leaving_cents: now }) => now === 0,
  )
  stage.check('account', { leaving_cents: 0, balance_cents: FUNDED_CENTS }, staying)
  const approved = await payer.until(
    () => payer.ask(CENTS),
    ({ status }) => status === 'needs_confirmation',
  )
  stage.check('payment', { status: 'needs_confirmation' }, approved)
}

/** The nine days pass on a chain of the story's own, to which no service belongs. */
async function playAlone(stage: Stage): Promise<void> {
  const anvil = await startAnvil({ port: await loopbackPort(null), chainId: CHAIN_ID })
  stage.afterwards(() => anvil.stop())
  const caller = openOutsideCaller({ clock: systemClock, ...BOUNDS })
  stage.afterwards(() => caller.close())
  const rpc = createJsonRpc(anvil.url, caller)
  const { settlement, token, callToken } = await deploySandbox(rpc, {
    chainId: CHAIN_ID,
    sponsor: freshAddress(),
  })
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const answer = await rpc.call(method, params)
    if (answer.ok) return answer.value
    throw new Error(method + ': ' + JSON.stringify(answer.error))
  }
  const mine = (blocks: number) => ask('anvil_mine', ['0x' + blocks.toString(16)])
  const chain = { config: { chainId: CHAIN_ID, settlement }, ask, mine }
  const passkey = createPasskey()
  const { x, y } = passkey
  const holder = { address: holderAddress(settlement, { x, y, recovery: NOBODY }), passkey }
  const home = freshAddress()
  await callToken('mint', [holder.address, unitsOfCents(FUNDED_CENTS)])
  await requestAll(chain, holder, home)
  await ask('evm_increaseTime', [DELAY_S - 60])
  await mine(1)
  const early = await withdrawOwn(chain, holder).then(
    () => 'paid',
    () => 'refused',
  )
  stage.check('before nine days', { withdrawal: 'refused' }, { withdrawal: early })
  await ask('evm_increaseTime', [120])
  await mine(1)
  await withdrawOwn(chain, holder)
  const cents = centsOfUnits(await tokensOf(rpc, token, home))
  const left = centsOfUnits(await tokensOf(rpc, token, holder.address))
  stage.check('after nine days', { home: FUNDED_CENTS, account: 0 }, { home: cents, account: left })
}
