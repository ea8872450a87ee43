// The journal of the running service: everything in it can be decided again, and nothing that was
// answered is lost with the process that answered it.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sleep } from '../../../shared/clock.ts'
import { isDocument, valueAt } from '../api.ts'
import { approves } from '../behaviour.ts'
import { Life } from '../life.ts'
import { serviceProblem } from '../reachable.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const REPLAY = fileURLToPath(new URL('../../replay.ts', import.meta.url))
const READY_LOOK_MS = 100
const READY_LOOKS_MAX = 200
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

export const JOURNAL: readonly Scenario[] = [
  {
    name: 'journal_replay',
    story: 'Every decision of the journal, made again from it, is the same byte for byte.',
    covers: [60],
    play: playReplay,
  },
  {
    name: 'engine_killed',
    story: 'The tenant approves and the engine is killed: the repeat is approved, and counts once.',
    covers: [50],
    play: playKilled,
  },
]

async function playReplay(stage: Stage): Promise<void> {
  const card = stage.card('scenario_plain')
  const { answer } = await stage.send(stage.message(card))
  // Once this one is recorded, everything before it is in the journal's files too.
  await stage.api.transaction(String(answer?.transaction_id))
  const result = await replay(stage.surroundings.dataDir)
  stage.check('replay', { differences: [] }, result)
  if (!isDocument(result)) return
  const { decisions, identical, unknown, lostReservations } = result
  if (Number(identical) < 1) stage.note('nothing was decided again')
  // An engine that was killed under load has lost reservations, and one that ran for long names
  // versions of config records that are no longer kept.
  const excused = Number(unknown) + Number(lostReservations)
  stage.check('decisions that are identical', Number(decisions) - excused, identical)
}

async function playKilled(stage: Stage): Promise<void> {
  const pid = enginePid(stage.surroundings.dataDir)
  const tenant = await stage.tenant()
  // The kill may come before anything about the other message is written: something answered is in
  // the journal then, too.
  const earlier = stage.message(stage.card('scenario_plain'))
  const answered = await stage.send(earlier)
  const life = await Life.begin(stage, 'scenario_realtime')
  const message = life.message('authorization', 1000)
  tenant.behave(message.id, async (asked) => {
    await approves(asked)
    process.kill(pid, 'SIGKILL')
  })
  const first = await stage.send(message)
  await untilReady(stage)
  tenant.behave(message.id, approves)
  const again = await stage.send(message)
  // Where the answer left before the engine died, it is the answer for good.
  if (first.answer !== null && !again.body.equals(first.body))
    stage.note('the repeat got another answer')
  const recalled = await stage.send(earlier)
  if (!recalled.body.equals(answered.body))
    stage.note('what was answered before the kill is answered otherwise')
  await life.check(message, again, {
    answer: { approved: true, decided_by: 'tenant' },
    event: 'authorized',
    status: 'authorized',
    sums: { authorized: 1000, open_hold: 1000 },
  })
}

/** The process that `npm start` will start again. */
function enginePid(dataDir: string): number {
  const rows: unknown = JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8'))
  const pid = valueAt(rows, 'engine', 'pid')
  if (typeof pid !== 'number') throw new Error('npm start does not say which process the engine is')
  return pid
}

async function untilReady({ surroundings }: Stage): Promise<void> {
  for (let look = 0; look < READY_LOOKS_MAX; look++) {
    if ((await serviceProblem(surroundings.sandbox.engine_url)) === null) return
    await sleep(READY_LOOK_MS)
  }
  throw new Error('the engine did not come back')
}

/** Returns the report of `npm run replay` about the data directory. */
function replay(dataDir: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [REPLAY, '--json', '--data-dir', dataDir],
      { maxBuffer: OUTPUT_BYTES_MAX },
      (error, stdout, stderr) => {
        if (stdout !== '') return resolve(JSON.parse(stdout))
        reject(new Error('the replay said nothing: ' + (stderr || error?.message)))
      },
    )
  })
}
