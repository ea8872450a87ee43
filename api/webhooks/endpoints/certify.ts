// Sends probes to a sandbox endpoint and stores the failures.
//
// Chosen: one run at a time per endpoint; the call answers at the end of the run, within about a
// minute. A certification neither depends on the endpoint's status nor changes it. The answer is
// stored with its result: a repeat under the same Idempotency-Key during the run is refused like
// any other run, and gets the result afterwards.

import { assert } from '../../../shared/assert.ts'
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import type { Certification } from '../../../shared/schemas/certification.ts'
import type { Context } from '../../context.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../http/refusal.ts'
import { isAnswered, write } from '../../write/write.ts'
import { type Candidate, type Found, RUN_MS_MAX } from './certification/run.ts'
import {
  beginCertification,
  discardCertification,
  finishCertification,
} from './certification/store.ts'
import { type CertificationRow, certificationView } from './certification/view.ts'
import { activeSecrets } from './secret-store.ts'
import { lockEndpoint } from './store.ts'

/** A run older than this died with its process. */
const ABANDONED_MS = RUN_MS_MAX + 30_000

export interface ProbePort {
  /** Sends the probes of a certification. */
  probe: (candidate: Candidate) => Promise<Found>
}

export async function certifyEndpoint(
  context: Context,
  endpointId: string,
  port: ProbePort,
): Promise<Certification> {
  const { sql, principal } = context
  // Chosen: live has no certifications, so the endpoint does not exist there.
  if (principal.environment === 'live') throw new Refusal('resource_missing')
  const run = await tx(sql, (inner) => begin(inner, context, endpointId))
  try {
    const found = run === null ? null : await probe(context, run, port)
    return await write(context, async (inner) => {
      assert(run !== null && found !== null, 'a call that was answered is not done again')
      // The start of a run locks the endpoint: it finds this run unfinished, or its answer kept.
      await lockEndpoint(inner, principal, endpointId)
      const at = found.at + principal.clockOffsetMs
      return certificationView(await finishCertification(inner, { ...found, id: run.row.id, at }))
    })
  } catch (error) {
    if (run !== null) await discardCertification(sql, run.row.id)
    throw error
  }
}

interface Run {
  row: CertificationRow
  secrets: readonly string[]
}

function probe(
  { principal }: Context,
  { row, secrets }: Run,
  { probe }: ProbePort,
): Promise<Found> {
  const { id: certificationId, url } = row
  return probe({ certificationId, url, secrets, apiVersion: principal.apiVersion })
}

/** Returns null if a repeat needs no run. */

async function begin(sql: TxSql, context: Context, endpointId: string): Promise<Run | null> {
  const { principal, now, unseal } = context
  const endpoint = await lockEndpoint(sql, principal, endpointId)
  if (endpoint === null) throw new Refusal('resource_missing')
  if (await isAnswered(sql, context)) return null
  const secrets = opened(unseal, await activeSecrets(sql, endpoint.id))
  if (secrets.length === 0)
    throw new Refusal('invalid_state', { message: 'The endpoint has no active secret.' })
  const begun = { id: context.newId('cert'), endpointId: endpoint.id, url: endpoint.url, now }
  const row = await beginCertification(sql, principal, { ...begun, before: now - ABANDONED_MS })
  if (row === null)
    throw new Refusal('invalid_state', { message: 'A certification of this endpoint is running.' })
  return { row, secrets }
}

/** The opened secrets live as long as the run and are never logged. */
function opened(unseal: Unseal, sealed: readonly string[]): readonly string[] {
  return sealed.map((text) => {
    const secret = unseal(SEAL_CONTEXTS.webhookSecret, text)
    if (!secret.ok) throw new Error('a secret of the endpoint does not open: ' + secret.error)
    return secret.value.toString('utf8')
  })
}
