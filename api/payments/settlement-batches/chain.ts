// The settlement line of a chain as operators see and stop it.
import { isoInstant } from '../../../shared/clock.ts'
import type { ChainLine } from '../../../shared/schemas/chain-line.ts'
import type { Environment } from '../../../shared/wire/config-records.ts'
import type { OperatorContext } from '../../context.ts'
import { Refusal } from '../../http/refusal.ts'
import { write } from '../../write/write.ts'
import type { ChainPort } from '../chain/chain-config.ts'
import { type LineRow, readLine, savePause, saveResume } from './chain-store.ts'

export async function readChainLine(
  { sql }: OperatorContext,
  environment: Environment,
  { chains }: ChainPort,
): Promise<ChainLine> {
  return lineView(environment, await readLine(sql, chainIdOf(environment, chains)))
}

/** Settling stops before the next signature; what was sent goes on. */
export async function pauseChain(
  context: OperatorContext,
  environment: Environment,
  { chains }: ChainPort,
): Promise<ChainLine> {
  const chainId = chainIdOf(environment, chains)
  return write(context, async (sql) =>
    lineView(environment, await savePause(sql, { chainId, now: context.now })),
  )
}

/** The operator's word: the reason of the stop is known, and settling goes on. */
export async function resumeChain(
  context: OperatorContext,
  environment: Environment,
  { chains }: ChainPort,
): Promise<ChainLine> {
  const chainId = chainIdOf(environment, chains)
  return write(context, async (sql) => lineView(environment, await saveResume(sql, chainId)))
}

function chainIdOf(environment: Environment, chains: ChainPort['chains']): number {
  const chain = chains[environment]
  if (chain === null) throw new Refusal('chain_not_configured')
  return chain.chainId
}

function lineView(environment: Environment, line: LineRow | null): ChainLine {
  if (line === null) throw new Refusal('resource_missing')
  return {
    id: String(line.chainId),
    object: 'chain_line',
    environment,
    chain_id: line.chainId,
    sponsor: line.address,
    next_nonce: line.nextNonce,
    in_flight: line.inFlight,
    final_block: line.finalBlock,
    stopped:
      line.stopped === null ? null : { reason: line.stopped.reason, detail: line.stopped.detail },
    exceptions: line.exceptions.map(({ kind, subject, block, ledger, chain, openedAt }) => ({
      ...{ kind, subject, block, ledger_units: ledger, chain_units: chain },
      opened_at: isoInstant(openedAt),
    })),
  }
}
