import { test } from 'tap'
import { openOutsideCaller } from '../../api/http/outside-caller.ts'
import { createJsonRpc } from '../../api/payments/chain/json-rpc.ts'
import { hasAnvil } from '../../scripts/chain-peer/anvil.ts'
import { systemClock } from '../../shared/clock.ts'
import { startRpcFake } from '../fakes/rpc.ts'
import { repeats } from '../harness/long.ts'
import { startSettlement } from '../harness/settlement.ts'
import { Random } from './random.ts'
import { runSettlement } from './settlement-model.ts'

/** Runs of the short form; SVC_TEST_RUNS asks for more. */
const RUNS = Number(process.env['SVC_TEST_RUNS'] ?? repeats(3, 8))
/** The first seed, to play one again. */
const SEED = Number(process.env['SVC_TEST_SEED'] ?? 1)
/** A stand that has grown is left behind: lists of accounts would slow each round. */
const RUNS_PER_STAND = 100

test('seeded settling agrees with a model of the money', async (t) => {
  if (!hasAnvil) return t.comment('A chain needs anvil, which npm has for Linux x64 only.')
  for (let from = 0; from < RUNS; from += RUNS_PER_STAND) {
    const at = await startSettlement(t)
    const fake = await startRpcFake(at.url)
    const bounds = { callMsMax: 10_000, answerBytesMax: 16_000_000 }
    const caller = openOutsideCaller({ clock: systemClock, ...bounds })
    t.teardown(async () => {
      await caller.close()
      await fake.close()
    })
    const stand = { at, fake, rpcs: [at.rpc, createJsonRpc(fake.url, caller)] }
    for (let run = from; run < Math.min(RUNS, from + RUNS_PER_STAND); run++) {
      const seed = SEED + run
      t.same(await runSettlement(stand, new Random(seed)), [], 'seed ' + seed)
    }
  }
})
