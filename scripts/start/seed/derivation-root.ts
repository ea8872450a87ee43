// The database's derivation root: made at the first seed, sealed under the master key, and opened
// by processes that derive keys.
import { randomBytes } from 'node:crypto'
import type { TxSql } from '../../../api/database/transaction.ts'
import { encodeId } from '../../../shared/id.ts'
import {
  type Derivation,
  deriveKeys,
  type MasterKeys,
  ROOT_BYTES,
  SEAL_CONTEXTS,
  seal,
  unseal,
} from '../../../shared/keyring.ts'
import { StartProblem } from '../start-problem.ts'

/**
 * The derivation of this database. Refuses with a sentence when the master key is not the one it
 * was made with.
 */
export async function ensureDerivationRoot(
  sql: TxSql,
  masterKeys: MasterKeys,
): Promise<Derivation> {
  const fresh = seal(masterKeys, SEAL_CONTEXTS.root, randomBytes(ROOT_BYTES))
  await sql`insert into derivation_root (id, sealed) values ('root', ${fresh}) on conflict do nothing`
  const [row] = await sql<{ sealed: string }[]>`select sealed from derivation_root`
  const root = unseal(masterKeys, SEAL_CONTEXTS.root, row?.sealed ?? '')
  if (!root.ok) {
    throw new StartProblem(
      'The master key does not open this database (' +
        root.error +
        '): restore master.key, or set SVC_MASTER_KEY to the key it was made with.',
    )
  }
  return deriveKeys(root.value, encodeId)
}
