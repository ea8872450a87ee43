// Everybody screened again after the lists have changed, by one dispatcher: the timer itself, over
// PostgreSQL, with rows of a real list.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { migrate } from '../api/database/migrate.ts'
import { openPool, type Sql } from '../api/database/pool.ts'
import { rescreenJob } from '../api/issuing/cardholders/index.ts'
import { type Lists, openLists } from '../api/issuing/sanctions/lists.ts'
import { runOnce } from '../api/jobs/job.ts'
import { startPostgres } from '../scripts/postgres.ts'
import { systemClock } from '../shared/clock.ts'
import { createLog } from '../shared/log.ts'
import { newDirectory } from './machine.ts'
import type { BenchOptions, Findings, Measured } from './measured.ts'

const LISTS = fileURLToPath(new URL('../test/fixtures/ofac', import.meta.url))
const PEOPLE = { full: 100_000, quick: 5000 }
/** In which 100,000 have to be done. */
const SECONDS_MAX = 600

const GIVEN =
  'James,Mary,Robert,Michael,Linda,David,Elizabeth,Barbara,Carlos,Maria,Juan,Ana,Omar,Layla,Ivan,Olga,Wei,Yuki,Pierre,Hans,Greta,Lars,Chiara,Kwame,Priya,Raj,Mehmet,Elif,Tomasz,Emma,Noah'
const FAMILY =
  'Smith,Johnson,Garcia,Miller,Davis,Martinez,Wilson,Anderson,Taylor,Jackson,Martin,Perez,White,Clark,Lewis,Nguyen,Flores,Rivera,Carter,Kowalski,Novak,Ivanov,Petrov,Schmidt,Dubois,Rossi,Tanaka,Kumar,Patel,Singh,Yilmaz,Haddad,Okafor,Mensah,Nielsen,Hansen,Bianchi'

export const SCREENING: Measured = {
  name: 'screening',
  seconds: { full: 60, quick: 10 },
  run,
}

async function run(options: BenchOptions): Promise<Findings> {
  const directory = newDirectory()
  const postgres = await startPostgres({ directory: join(directory, 'postgres') })
  const sql = openPool(postgres.url, { max: 2, applicationName: 'bench', statementTimeoutMs: 0 })
  try {
    await migrate(postgres.url, () => {})
    const count = options.quick ? PEOPLE.quick : PEOPLE.full
    options.log('Seeding ' + count + ' cardholders.')
    await seedPeople(sql, count)
    const opened = openLists([{ format: 'ofac', path: LISTS }], () => {})
    if (!opened.ok) throw new Error(opened.error)
    return await measure(sql, opened.value)
  } finally {
    await sql.end()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function seedPeople(sql: Sql, count: number): Promise<void> {
  await sql`insert into tenants (id, name, api_version, created_at) values ('ten_1', 'Bench', '2026-12-01', 0)`
  await sql`
    insert into programs (id, tenant_id, environment, name, status, created_at)
    values ('prog_1', 'ten_1', 'sandbox', 'Bench', 'active', 0)`
  const [given, family] = [GIVEN.split(','), FAMILY.split(',')]
  await sql`
    insert into cardholders (id, tenant_id, environment, program_id, name, status, details, created_at)
    select 'ch_' || lpad(i::text, 26, '0'), 'ten_1', 'sandbox', 'prog_1', first || ' ' || last, 'active',
      jsonb_build_object('first_name', first, 'last_name', last,
        'date_of_birth', (1940 + i % 66) || '-0' || (1 + i % 9) || '-1' || (i % 10)), 0
    from generate_series(1, ${count}::bigint) as i,
      lateral (select (${given}::text[])[1 + i * 7919 % ${given.length}] as first,
        (${family}::text[])[1 + i * 104729 % ${family.length}] as last) as person`
  await sql`analyze cardholders`
}

async function measure(sql: Sql, lists: Lists): Promise<Findings> {
  const log = createLog({ name: 'bench', level: 'silent' })
  const rescreening = rescreenJob(lists)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const beganMs = performance.now()
  const cpu = process.cpuUsage()
  let people = 0
  for (let done = 1; done > 0; people += done) {
    const now = systemClock.nowMs()
    done = await runOnce(rescreening, { sql, now, clock: systemClock, log })
  }
  const seconds = (performance.now() - beganMs) / 1000
  const { user, system } = process.cpuUsage(cpu)
  delay.disable()
  const per100k = Math.round((seconds * 100_000) / people)
  const figures = {
    people,
    entries: lists.current().size,
    seconds: Math.round(seconds * 10) / 10,
    seconds_per_100000: per100k,
    own_cpu_ms_each: Math.round((user + system) / people) / 1000,
    loop_delay_ms: { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6 },
  }
  const each = figures.own_cpu_ms_each + ' ms of our processor time each'
  return {
    lines: [
      people + ' against ' + figures.entries + ' entries in ' + figures.seconds + ' s, ' + each,
    ],
    figures,
    targets: [
      {
        sentence: 'seconds for 100,000, of ' + SECONDS_MAX,
        ratio: Math.round((per100k / SECONDS_MAX) * 100) / 100,
        atMost: 1,
      },
    ],
    flaws: [],
  }
}
