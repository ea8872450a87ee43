// Sends probes to an endpoint of the sandbox and keeps what it got wrong.
//
// Chosen: one run at a time per endpoint; the call answers when it is over, within about a minute. Certifying says nothing about
// the endpoint's status and changes nothing of it. What it is told stands with its result: a repeat under the same
// Idempotency-Key while it runs is refused like any other run, and gets the result afterwards.

import { assert } from '../../../shared/assert.ts'
import { SEAL_CONTEXTS, type Unseal } from '../../../shared/keyring.ts'
import type { Certification } from '../../../shared/schemas/certification.ts'
import type { Context } from '../../context.ts'
import { type TxSql, tx } from '../../database/transaction.ts'
import { Refusal } from '../../refuse.ts'
import { isAnswered, write } from '../../write.ts'
import { type Found, RUN_MS_MAX } from './certification/run.ts'
import {
  beginCertification,
  discardCertification,
  finishCertification,
} from './certification/store.ts'
import { type CertificationRow, certificationView } from './certification/view.ts'
import { activeSecrets } from './secret-store.ts'
import { lockEndpoint } from './store.ts'

/** A run that was begun longer ago died with its process. */
const ABANDONED_MS = RUN_MS_MAX + 30_000

export async function certifyEndpoint(
  context: Context,
  endpointId: string,
): Promise<Certification> {
  const { sql, principal } = context
  // Chosen: in live nothing can be certified, so there is nothing here.
  if (principal.environment === 'live') throw new Refusal('resource_missing')
  const run = await tx(sql, (inner) => begin(inner, context, endpointId))
  try {
    const found = run === null ? null : await probe(context, run)
    return await write(context, async (inner) => {
      assert(run !== null && found !== null, 'a call that was answered is not done again')
      // Whoever begins a run locks the endpoint: it finds this one unfinished, or its answer kept.
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

function probe({ principal, probe }: Context, { row, secrets }: Run): Promise<Found> {
  const { id: certificationId, url } = row
  return probe({ certificationId, url, secrets, apiVersion: principal.apiVersion })
}

/** Null where a repeat needs no run. */

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

/** They live as long as the run and are never logged. */
function opened(unseal: Unseal, sealed: readonly string[]): readonly string[] {
  return sealed.map((text) => {
    const secret = unseal(SEAL_CONTEXTS.webhookSecret, text)
    if (!secret.ok) throw new Error('a secret of the endpoint does not open: ' + secret.error)
    return secret.value.toString('utf8')
  })
}
