// Decides whether a scanned text is a pass of the tenant, and whether the pass is valid. Every scan
// is recorded, with any result. Spec 2.3 and 6.2, pass.scanned.
import type { PassScan, ScanMedium, ScanResult } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { openPassKeys } from '../../database/derivation.ts'
import type { TxSql } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { recordEvent } from '../../webhooks/events/index.ts'
import { write } from '../../write/write.ts'
import { lockScannable, readPayload, redeemPass, type ScannablePass } from '../passes/index.ts'
import { findScanner } from '../scanners/index.ts'
import { insertScan } from './store.ts'
import { scanView } from './view.ts'

export interface ScanInput {
  payload: string
  scannerId: string
  medium: ScanMedium
  latitude: number | null
  longitude: number | null
}

/** Chosen: the scan locks the pass, so exactly one of many scans of a one-time pass is valid. */
export async function scanPass(context: Context, input: ScanInput): Promise<PassScan> {
  const { principal, now } = context
  const id = context.newId('pscan')
  return write(context, async (sql) => {
    const { payload, ...read } = input
    const scanner = await findScanner(sql, principal, input.scannerId)
    if (scanner === null) throw new Refusal('resource_missing', { param: 'scanner_id' })
    const { pass, result } = await verify(sql, context, payload)
    if (result === 'valid' && pass?.oneTime === true) await redeemPass(sql, context, pass.id)
    const { environment } = principal
    const row = { ...read, id, environment, passId: pass?.id ?? null, result, createdAt: now }
    await insertScan(sql, principal, row)
    const scan = scanView(row)
    const event = { type: 'pass.scanned', resourceId: id, data: { scan }, now } as const
    await recordEvent(sql, { ...principal, ...event })
    return scan
  })
}

async function verify(
  sql: TxSql,
  context: Context,
  payload: string,
): Promise<{ pass: ScannablePass | null; result: ScanResult }> {
  const read = readPayload(await openPassKeys(sql, context), payload)
  if (read === null) return { pass: null, result: 'unknown' }
  // A forger of the check may have invented the pass too: a forged scan touches no pass.
  if (!read.authentic) return { pass: null, result: 'forged' }
  const pass = await lockScannable(sql, context.principal, read.passId)
  return { pass, result: pass === null ? 'unknown' : resultOf(pass, context.now) }
}

/** Chosen: the result names the most lasting of several reasons. */
export function resultOf(pass: Omit<ScannablePass, 'id'>, now: number): ScanResult {
  if (pass.status === 'revoked') return 'revoked'
  if (pass.expiresAt !== null && pass.expiresAt <= now) return 'expired'
  return pass.oneTime && pass.redeemedAt !== null ? 'replayed' : 'valid'
}
