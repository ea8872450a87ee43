// Verdicts of drafts in the journal are counted once as it drains.
import { test } from 'tap'
import { createEngineClient } from '../../../api/engine-link/client.ts'
import { NO_PAYMENTS } from '../../../api/engine-link/payments-port.ts'
import { drainBatch } from '../../../api/engine-link/pull-journal.ts'
import { systemClock } from '../../../shared/clock.ts'
import { ownControlId } from '../../../shared/wire/config-records.ts'
import { encodeEntry, type ShadowVerdict } from '../../../shared/wire/journal-entry.ts'
import { entryFor } from '../../harness/drain.ts'
import { silentLog } from '../../harness/engine-listener.ts'
import { ENTRY_TIME_MS } from '../../harness/entries.ts'
import { openTestDatabase } from '../../harness/postgres.ts'
import { seedTenant } from '../../harness/tenant.ts'

test('a repeated drain of a decision counts no verdict twice', async (t) => {
  const { sql } = await openTestDatabase(t)
  const tenant = await seedTenant(sql, 'sandbox')
  await sql`insert into journal_cursor (journal_id, seq) values ('journal-a', 0)`
  const client = createEngineClient({ socketPath: '/nowhere', clock: systemClock })
  const parts = {
    sql,
    client,
    clock: systemClock,
    log: silentLog,
    journalId: 'journal-a',
    payments: NO_PAYMENTS,
  }
  const controlId = ownControlId(tenant.cardId)
  const said = (...shadow: ShadowVerdict[]) => {
    const entry = entryFor(tenant)
    return encodeEntry({ ...entry, decision: { ...entry.decision, shadow } })
  }
  const bytes = [
    said({ controlId, version: 1, reason: null }),
    said({ controlId, version: 1, reason: 'limit_daily' }),
    said(
      { controlId, version: 2, reason: 'limit_daily' },
      { controlId: 'ctl_gone', version: 1, reason: null },
    ),
    said(),
  ]
  const entries = bytes.map((entry, at) => ({ seq: at + 1, bytes: entry }))
  await drainBatch(parts, entries, 0)
  // The same messages at other journal positions, as after a replaced journal.
  const again = bytes.map((entry, at) => ({ seq: at + 5, bytes: entry }))
  await drainBatch(parts, again, 4)
  const rows = await sql`select * from spending_control_shadow order by version, reason`
  const counted = { control_id: controlId, verdicts: 1, first_at: ENTRY_TIME_MS + 40 }
  t.match(rows, [
    { ...counted, version: 1, reason: '' },
    { ...counted, version: 1, reason: 'limit_daily' },
    { ...counted, version: 2, reason: 'limit_daily' },
  ])
  t.equal(rows.length, 3)
})
