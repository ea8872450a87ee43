// A process of its own that runs jobs of billing in turns until none has work, for tests that kill
// it in the middle. Arguments: address of the database, of the processor, the moment, the jobs.
import { processorJobs } from '../../api/billing/collection/index.ts'
import { billingJobs } from '../../api/billing/jobs.ts'
import { openProcessors } from '../../api/billing/processor/index.ts'
import { openPool } from '../../api/database/pool.ts'
import { systemClock } from '../../shared/clock.ts'
import { runJob } from './jobs.ts'

const [databaseUrl = '', processorUrl = '', key = '', now = '0', names = '', batch = '0'] =
  process.argv.slice(2)
const sql = openPool(databaseUrl, { max: 2, applicationName: 'svc-test' })
const config = { keys: { sandbox: key, live: null }, url: processorUrl, ratePerS: 1000 }
const processors = openProcessors(config, { clock: systemClock, callMsMax: 60_000 })
const known = [...billingJobs, ...processorJobs(processors)]
const jobs = names.split(',').map((name) => {
  const job = known.find((one) => one.name === name)
  if (job === undefined) throw new Error('no job ' + name)
  return batch === '0' ? job : { ...job, batch: Number(batch) }
})
process.stdout.write('ready\n')
for (let work = 1; work > 0; ) {
  work = 0
  for (const job of jobs) work += await runJob(job, { sql, now: Number(now) })
}
await processors.close()
await sql.end()
