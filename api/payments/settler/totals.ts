// Totals of the chain at a finalized block, beside those of the ledger: what each payee got, and
// that Settlement keeps nothing.
import type { Block } from '../chain/answers.ts'
import type { Hex } from '../chain/hex.ts'
import { readPaidUnits } from '../ledger/index.ts'
import { openException, resolveExceptions } from './exceptions.ts'
import { type Line, stopLine } from './line.ts'

const CALL_PAYEES = 500

/**
 * False where the chain is silent, or a payee's total stops settling. Tokens that somebody sent to
 * Settlement itself are an exception only: nobody could settle otherwise.
 */
export async function compareTotals(line: Line, { number }: Block): Promise<boolean> {
  const { chain, config, sql } = line
  const own = await chain.balances([config.settlement], number)
  if (own.kind !== 'agreed') return false
  const kept = BigInt(own.value[0] ?? 0)
  const at = { tenantId: null, block: number }
  if (kept !== 0n) {
    const sums = { ledgerUnits: 0n, chainUnits: kept }
    await openException(line, {
      ...{ kind: 'settlement_holds', subject: config.settlement },
      ...at,
      ...sums,
    })
  } else await resolveExceptions(line, { kinds: ['settlement_holds'], among: null, still: [] })
  const payees = await readPaidUnits(sql, config)
  const different: string[] = []
  for (let from = 0; from < payees.length; from += CALL_PAYEES) {
    const part = payees.slice(from, from + CALL_PAYEES)
    const paid = await chain.paid(
      part.map(({ address }) => address as Hex),
      number,
    )
    if (paid.kind !== 'agreed') return false
    for (const [index, { address, units }] of part.entries()) {
      const sums = { ledgerUnits: BigInt(units), chainUnits: BigInt(paid.value[index] ?? 0) }
      if (sums.ledgerUnits === sums.chainUnits) continue
      different.push(address)
      await openException(line, { kind: 'payee_differs', subject: address, ...at, ...sums })
    }
  }
  await resolveExceptions(line, { kinds: ['payee_differs'], among: null, still: different })
  const [first] = different
  if (first === undefined) return true
  const detail = first + ' got another total at block ' + number + ' than the ledger has'
  await stopLine(line, { reason: 'ledger_apart', detail })
  return false
}
