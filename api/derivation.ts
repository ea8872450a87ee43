// The keyed hashes of this installation, opened where a number, a CVC or a PIN is made or compared.
import { assert } from '../shared/assert.ts'
import { encodeId } from '../shared/id.ts'
import { type Derivation, deriveKeys, SEAL_CONTEXTS } from '../shared/keyring.ts'
import type { Services } from './context.ts'
import type { SqlTag } from './database/pool.ts'

/** Throws where there is no root, or the master keys do not open it: then nothing can be issued and nothing compared. */
export async function openDerivation(
  sql: SqlTag,
  { unseal }: Pick<Services, 'unseal'>,
): Promise<Derivation> {
  const [row] = await sql<{ sealed: string }[]>`select sealed from derivation_root`
  assert(row !== undefined, 'a database with cards has a derivation root')
  const root = unseal(SEAL_CONTEXTS.root, row.sealed)
  assert(root.ok, 'the master keys open the derivation root')
  return deriveKeys(root.value, encodeId)
}
