// A template whose changes are always on their way to its passes, while a test kills the processes
// that bring them there: in the end every pass was told of every version once.
import { sleep, systemClock } from '../../shared/clock.ts'
import type { Stack } from './stack.ts'

/** Passes of five parts of a change. */
const PASSES = 45
const LOOK_AGAIN_MS = 10
/** A part of a change takes some milliseconds. */
const AT_ONCE_MS = 3
const MOVES_MS_MAX = 300_000
const TEMPLATE = {
  name: 'Members',
  style: 'store_card',
  organization_name: 'Shop',
  description: 'Membership card of Shop',
}

/** A write of the tenant, repeated until it is answered. */
type Call = (method: string, path: string, body: object) => Promise<{ id: string }>

export interface TemplateChange {
  /**
   * Resolves while a part of a fan-out is being written and not yet committed, and has progressed
   * since the last call; begins the next fan-out if none runs.
   */
  movesOn(): Promise<void>
  /** Resolves once the last change has reached every pass. */
  completed(): Promise<void>
  /** The passes that got a version too often or never. */
  compare(): Promise<string[]>
}

interface Progress {
  version: number
  done: number
  running: boolean
}

/** Issues the passes. */
export async function openTemplateChange({ sql }: Stack, call: Call): Promise<TemplateChange> {
  const { id } = await call('POST', '/v1/pass_templates', TEMPLATE)
  await call('POST', '/v1/passes/batch', { passes: Array(PASSES).fill({ template_id: id }) })
  const progress = async (): Promise<Progress> => {
    const [row] = await sql<Progress[]>`
      select version, done, state = 'running' as running from pass_fanouts
      where template_id = ${id} order by version desc limit 1`
    return row ?? { version: 1, done: 0, running: false }
  }
  const partUnderWay = async (): Promise<boolean> => {
    const rows = await sql`
      select from pg_locks join pg_stat_activity using (pid)
      where relation = 'pass_fanouts'::regclass and mode = 'RowShareLock' and application_name = 'svc-dispatcher'`
    return rows.length > 0
  }
  const until = async (holds: (now: Progress) => boolean): Promise<Progress> => {
    for (const endMs = systemClock.nowMs() + MOVES_MS_MAX; systemClock.nowMs() < endMs; ) {
      // PostgreSQL may be down.
      const now = await progress().catch(() => null)
      if (now !== null && holds(now)) return now
      await sleep(LOOK_AGAIN_MS)
    }
    throw new Error('the change of the template stands still')
  }
  let seen: Progress = { version: 1, done: 0, running: false }
  const comeFurther = async (): Promise<void> => {
    const before = seen
    seen = await until(
      ({ version, done, running }) => !running || version > before.version || done > before.done,
    )
    if (seen.running && seen.done > 0) return
    if (!seen.running)
      await call('PATCH', '/v1/pass_templates/' + id, { logo_text: 'v' + (seen.version + 1) })
    seen = await until(({ version, done }) => version > before.version && done > 0)
  }
  return {
    async movesOn() {
      await comeFurther()
      while (seen.running && !(await partUnderWay())) {
        await sleep(AT_ONCE_MS)
        seen = await progress()
      }
    },
    async completed() {
      seen = await until(({ running }) => !running)
    },
    async compare() {
      const told = await sql<{ version: number; times: number; passes: number }[]>`
        select version, times, count(*)::int as passes from (
          select (convert_from(body, 'UTF8')::jsonb -> 'data' -> 'pass' ->> 'template_version')::int as version,
            count(*)::int as times
          from events where type = 'pass.updated' and resource_id in (select id from passes where template_id = ${id})
          group by resource_id, version
        ) of_pass group by version, times order by version, times`
      const wanted = Array.from({ length: seen.version - 1 }, (_, index) => index + 2)
      const right = wanted.map((version) => ({ version, times: 1, passes: PASSES }))
      const [is, should] = [JSON.stringify(told), JSON.stringify(right)]
      return is === should ? [] : ['passes were told of versions: ' + is + ' instead of ' + should]
    },
  }
}
