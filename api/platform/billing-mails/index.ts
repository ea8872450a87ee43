// Mails the notices of billing to the owners of a tenant. Billing knows no people and the mails
// know no billing: this job stands beside both.
import type { Seal } from '../../../shared/keyring.ts'
import { writeMail } from '../../access/mails/index.ts'
import { listOwners } from '../../access/people/index.ts'
import { lockUnmailed, saveMailed, type UnmailedNotice } from '../../billing/notices/index.ts'
import type { TxSql } from '../../database/transaction.ts'
import { type Job, rowByRow } from '../../jobs/job.ts'

/** The notice and its mails are one transaction: after a kill none is missing and none is twice. */
export function billingMails({ seal }: { seal: Seal }): Job {
  return {
    ...{ name: 'billing_mails', every: 1000, lease: 30_000, batch: 100 },
    run: rowByRow(async (sql, now) => {
      const notice = await lockUnmailed(sql)
      if (notice === null) return false
      await saveMailed(sql, notice.id, now)
      if (isTold(notice)) await writeMails(sql, notice, { seal, now })
      return true
    }),
  }
}

/** Chosen: the owner of a sandbox whose clock was moved plays with time, and expects no mail. */
function isTold({ environment, clockOffsetMs }: UnmailedNotice): boolean {
  return environment === 'live' || clockOffsetMs === 0
}

async function writeMails(
  sql: TxSql,
  notice: UnmailedNotice,
  world: { seal: Seal; now: number },
): Promise<void> {
  const { tenantId, tenantName: tenant, environment, kind, invoiceId: id, payUrl } = notice
  const { totalCents, currency, dueAt } = notice
  const isKnown = id !== null && totalCents !== null && currency !== null
  const invoice = isKnown ? { id, totalCents, currency, dueAt } : null
  for (const { name, email: to } of await listOwners(sql, tenantId)) {
    const fields = { name, tenant, environment, kind, invoice, link: payUrl }
    await writeMail(sql, world, { to, template: 'billing', fields })
  }
}
