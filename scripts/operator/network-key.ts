// Gives a network its key: the secret with which the network signs its messages. Written into the
// database, because no call of the API can make it; write access and the master key are the
// permission. The first key brings the database's derivation root along, without which no engine
// decides.
import { join } from 'node:path'
import { connectProblem } from '../../api/database/connect-problem.ts'
import { openPool } from '../../api/database/pool.ts'
import { tx } from '../../api/database/transaction.ts'
import { systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { SEAL_CONTEXTS, seal } from '../../shared/keyring.ts'
import { rereadMasterKeys } from '../../shared/master-key-file.ts'
import type { Result } from '../../shared/result.ts'
import { readScriptSettings } from '../config.ts'
import { runningPostgresUrl } from '../postgres/running.ts'
import { newSecret } from '../start/sandbox-secrets.ts'
import { ensureDerivationRoot } from '../start/seed/derivation-root.ts'
import { StartProblem } from '../start/start-problem.ts'
import type { Document } from './caller.ts'

export interface NetworkKeyInput {
  /** Name of the network, of one environment only. */
  network: string
  environment: string
  dataDir: string | null
}

const NAMES = ['DATABASE_URL', 'SVC_DATA_DIR', 'SVC_MASTER_KEY', 'SVC_ENVIRONMENT'] as const
const NETWORK = /^[a-z][a-z0-9_-]{0,63}$/

/** The key with its secret, or a sentence. The migrations must have run. */
export async function issueNetworkKey(input: NetworkKeyInput): Promise<Result<Document, string>> {
  const settings = readScriptSettings(NAMES)
  if (!settings.ok) return { ok: false, error: settings.error.join('\n') }
  const { SVC_MASTER_KEY: configured, SVC_ENVIRONMENT: installation } = settings.value
  const problem = inputProblem(input, installation)
  if (problem !== null) return { ok: false, error: problem }
  const dataDir = input.dataDir ?? settings.value.SVC_DATA_DIR
  const url = settings.value.DATABASE_URL ?? runningPostgresUrl(join(dataDir, 'postgres'))
  if (url === null)
    return { ok: false, error: 'DATABASE_URL must be set: the database to write to.' }
  const keys = rereadMasterKeys({ dataDir, configured, environment: installation })
  if (!keys.ok) return keys
  const { network, environment } = input
  const now = systemClock.nowMs()
  const made = { id: newId('nkey', now), network, environment }
  const secret = newSecret('nsec_')
  const sealed = seal(keys.value, SEAL_CONTEXTS.networkSecret, secret)
  const sql = openPool(url, { max: 1, applicationName: 'svc-operator' })
  try {
    await tx(sql, async (inner) => {
      await ensureDerivationRoot(inner, keys.value)
      await inner`
        insert into network_keys (id, network, environment, sealed_secret, created_at)
        values (${made.id}, ${network}, ${environment}, ${sealed}, ${now})`
    })
    return { ok: true, value: { ...made, secret } }
  } catch (error) {
    return { ok: false, error: problemOf(error, network, url) }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

function inputProblem({ network, environment }: NetworkKeyInput, installation: string) {
  if (!NETWORK.test(network))
    return '--network must be a name of 1 to 64 small letters, digits, hyphens and underscores.'
  if (environment !== 'sandbox' && environment !== 'live')
    return '--environment must be sandbox or live.'
  if (environment === 'live' && installation !== 'live')
    return 'SVC_ENVIRONMENT is sandbox: this installation serves no live network.'
  return null
}

function problemOf(error: unknown, network: string, url: string): string {
  if (error instanceof StartProblem) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === '42P01')
    return 'DATABASE_URL: the database has no table for keys of networks; run the migrations first.'
  if (code === '23505')
    return 'The network ' + network + ' is one of the other environment already.'
  if (code === '23514') return 'The network ' + network + ' is ours alone: name another.'
  return connectProblem(error, url)
}
