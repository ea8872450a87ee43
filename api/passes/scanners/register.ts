// Registers a scanner, so scans can name it.
import type { Scanner } from '../../../shared/schemas/pass-scan.ts'
import type { Context } from '../../context.ts'
import { type OwnData, requireFreeExternalId } from '../../write/own-data.ts'
import { write } from '../../write/write.ts'
import { insertScanner } from './store.ts'
import { scannerView } from './view.ts'

export async function registerScanner(
  context: Context,
  input: { name: string } & OwnData,
): Promise<Scanner> {
  const { principal, now } = context
  const id = context.newId('scn')
  return write(context, async (sql) => {
    const { externalId } = input
    await requireFreeExternalId(sql, principal, { table: 'scanners', externalId, id })
    return scannerView(await insertScanner(sql, principal, { ...input, id, now }))
  })
}
