// The runbooks of a journal and an engine in trouble, played on real processes in the order of the
// pages: clocks apart, damage in the middle, an older copy, an accepted loss.
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { readJournal } from '../../scripts/journal/read-journal.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { authorization } from '../faults/load.ts'
import { runNodeScript } from '../faults/script.ts'
import { type Stack, startStack } from '../faults/stack.ts'
import { openRunbook } from '../harness/runbook.ts'
import { happens, until } from '../harness/until.ts'

const HOUR_MS = 3_600_000
const REFUSED_MS_MAX = 30_000

function environmentOf(stack: Stack): { [name: string]: string } {
  return {
    SVC_DATA_DIR: stack.directory,
    DATABASE_URL: stack.postgres.url,
    SVC_API_PORT: new URL(stack.apiUrl).port,
    SVC_ENGINE_PORT: new URL(stack.engineUrl).port,
    SVC_API_KEY: stack.secrets.keys.read,
  }
}

async function spend(stack: Stack, count: number): Promise<void> {
  const network = openNetwork(
    { engine_url: stack.engineUrl, network: stack.secrets.network },
    systemClock,
    1,
  )
  for (let made = 0; made < count; made++) {
    const { answer } = await network.send(authorization(stack.card('load_plain_1'), 100))
    if (answer?.approved !== true) throw new Error('not approved: ' + JSON.stringify(answer))
  }
  network.close()
}

/** A call that stands in the audit log. */
async function addCardholder(stack: Stack): Promise<void> {
  const answer = await fetch(stack.apiUrl + '/v1/cardholders', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + stack.secrets.keys.admin,
      'content-type': 'application/json',
      'idempotency-key': 'first',
    },
    body: JSON.stringify({ program_id: stack.secrets.programs['plain'], name: 'Ada' }),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
}

/** The command with which a refusal names its way out. */
async function wayOut(stack: Stack, command: RegExp): Promise<string> {
  let named: string | undefined
  const said = await happens(async () => {
    const { reason } = await stack.engine.status()
    named = command.exec(reason ?? '')?.[1]
    return named !== undefined
  }, REFUSED_MS_MAX)
  if (!said || named === undefined) throw new Error('the engine refuses nothing: ' + String(named))
  return named
}

/** Overwrites the beginning of the second batch, which valid ones follow. */
async function damageMiddle(journal: string): Promise<void> {
  const view = await readJournal(journal)
  if (!view.ok) throw new Error(view.error)
  const [segment] = view.value.recovery.segments
  const at = segment.offsetBefore(segment.firstSeq) + 4
  const fd = openSync(segment.path, 'r+')
  writeSync(fd, Buffer.alloc(64, 0xff), 0, 64, at)
  closeSync(fd)
}

test('engine does not start: clocks apart, accepted by name', async (t) => {
  const stack = await startStack(t)
  const environment = environmentOf(stack)
  const book = openRunbook('engine-does-not-start')
  await spend(stack, 20)
  await stack.drained()
  await stack.engineProcess.stop()
  const path = join(stack.directory, 'clock.json')
  const anchor = JSON.parse(readFileSync(path, 'utf8')) as { now_ms: number; database_ms: number }
  const moved = {
    ...anchor,
    now_ms: anchor.now_ms - HOUR_MS,
    database_ms: anchor.database_ms - HOUR_MS,
  }
  writeFileSync(path, JSON.stringify(moved))
  await stack.engineProcess.start()
  const disagreement = await wayOut(stack, /accept-clock (\S+)/)
  const port = { '127.0.0.1:8081': new URL(stack.engineUrl).host }
  const unready = await book.run('curl http://127.0.0.1:8081/health/ready', { values: port })
  t.match(unready.output, /clock/, unready.output)
  for (const command of [
    'npm run journal -- stat',
    'npm run journal -- verify',
    'npm run engine -- --help',
  ]) {
    const { code, output } = await book.run(command, { environment })
    t.equal(code, 0, output)
  }
  const accepted = await book.run('npm run journal -- accept-clock DISAGREEMENT', {
    values: { DISAGREEMENT: disagreement },
    environment,
  })
  t.equal(accepted.code, 0, accepted.output)
  await until(() => stack.ready())
  const ready = await book.run('curl http://127.0.0.1:8081/health/ready', { values: port })
  t.notMatch(ready.output, /not confirmed/)
  t.same(book.left(), [])
})

test('journal corrupt in the middle, an older copy put back, the loss accepted by name', async (t) => {
  const stack = await startStack(t)
  const environment = environmentOf(stack)
  const corrupt = openRunbook('journal-corrupt')
  const restored = openRunbook('database-restored')
  const journal = join(stack.directory, 'journal')
  await spend(stack, 30)
  await addCardholder(stack)
  await stack.drained()
  const copy = join(t.testdir(), 'copy')
  const made = await runNodeScript('scripts/backup.ts', ['--to', copy], environment)
  t.equal(made.code, 0, made.output)
  await spend(stack, 30)
  await stack.drained()
  await stack.engineProcess.stop()

  await damageMiddle(journal)
  const exit = await stack.engineProcess.tryStart()
  t.match(exit?.lastWords, /damaged in the middle/)
  cpSync(stack.directory, stack.directory + '-aside', { recursive: true, filter: isPlainFile })
  t.teardown(() => rmSync(stack.directory + '-aside', { recursive: true, force: true }))
  const verified = await corrupt.run('npm run journal -- verify', { environment })
  t.not(verified.code, 0)
  t.match(verified.output, /damaged in the middle: .*segment is not readable at byte/)
  t.match((await corrupt.run('npm run journal -- stat', { environment })).output, /damaged/)

  rmSync(journal, { recursive: true })
  mkdirSync(journal, { mode: 0o700 })
  for (const name of readdirSync(join(copy, 'journal')))
    cpSync(join(copy, 'journal', name), join(journal, name))
  t.equal((await corrupt.run('npm run journal -- verify', { environment })).code, 0)
  await stack.engineProcess.start()
  const lost = await wayOut(stack, /accept-loss (\S+)/)
  const accepted = await restored.run('npm run journal -- accept-loss JOURNAL', {
    values: { JOURNAL: lost },
    environment,
  })
  t.equal(accepted.code, 0, accepted.output)
  await until(() => stack.ready())
  const replayed = await corrupt.run('npm run replay', { environment })
  t.equal(replayed.code, 0, replayed.output)
  t.match(replayed.output, /30 decisions, 30 identical/)
  t.equal((await restored.run('npm run audit -- verify', { environment })).code, 0)
  await spend(stack, 5)
  await stack.drained()
  t.equal(await stack.metric('svc_journal_undrained_entries'), 0)

  // The engine has followed a later timeline than that of the database.
  await stack.engineProcess.stop()
  const followed = join(stack.directory, 'database.json')
  const row = JSON.parse(readFileSync(followed, 'utf8')) as { timeline: number }
  writeFileSync(followed, JSON.stringify({ ...row, timeline: row.timeline + 1 }))
  await stack.engineProcess.start()
  const timeline = await wayOut(stack, /accept-timeline (\S+)/)
  const taken = await restored.run('npm run journal -- accept-timeline SYSTEM:TIMELINE', {
    values: { 'SYSTEM:TIMELINE': timeline },
    environment,
  })
  t.equal(taken.code, 0, taken.output)
  await until(() => stack.ready())
  t.same([...corrupt.left(), ...restored.left()], [])
})

function isPlainFile(path: string): boolean {
  const stats = statSync(path)
  return stats.isFile() || stats.isDirectory()
}
