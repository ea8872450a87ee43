// Backup and restore: copies of the engine's directory and of PostgreSQL's, put back as a pair and
// as pairs that do not match.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataPathOf } from '../../scripts/postgres/cluster.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { systemClock } from '../../shared/clock.ts'
import { happens } from '../harness/until.ts'
import { changeConfig, coveredAfter } from './config-change.ts'
import type { FaultRun, Findings } from './fault.ts'
import { authorization } from './load.ts'
import { runNodeScript } from './script.ts'
import { type Stack, startStack } from './stack.ts'
import { openWitness } from './witness.ts'

const READY_MS_MAX = 20_000

export async function backupAndRestore(t: FaultRun): Promise<Findings> {
  // The engine keeps every entry, because entries that a copy of PostgreSQL lacks must still be in
  // the journal.
  const stack = await startStack(t, { environment: { SVC_SNAPSHOT_ENTRIES: '100000' } })
  const cards = ['load_plain_1', 'limited_plain'].map(stack.card)
  const witness = openWitness(stack, cards, { senders: 8, pauseMs: 5, keepsOpen: true })
  const problems: string[] = []
  await witness.runFor(t.effort.seconds * 1000)
  await stack.drained()
  const older = await takeBackup(stack, 'older')
  const repeated = stack.card('load_plain_3')
  const suspended = stack.card('load_plain_4')
  await witness.runFor(t.effort.seconds * 1000)
  await changeConfig(
    stack,
    (sql) => sql`update cards set status = 'suspended' where id = ${suspended.id}`,
  )
  await stack.drained()
  const newer = await takeBackup(stack, 'newer')

  await restore(stack, { journal: newer, postgres: older })
  problems.push(...(await serves(stack, 'PostgreSQL older')))
  problems.push(...(await witness.compare()).map((line) => 'PostgreSQL older: ' + line))
  const reason = await reasonOn(stack, suspended.id)
  if (reason !== null) problems.push('PostgreSQL older: its configuration is not there: ' + reason)

  await restore(stack, { journal: older, postgres: older })
  problems.push(...(await serves(stack, 'an older pair')))

  await restore(stack, { journal: older, postgres: newer })
  problems.push(...(await refuses(stack, 'journal older', /are missing here/)))
  problems.push(...(await acceptedLoss(stack, 'journal older')))

  await restore(stack, { journal: null, postgres: newer })
  problems.push(...(await refuses(stack, 'journal lost', /but this engine writes/)))
  problems.push(...(await acceptedLoss(stack, 'journal lost')))
  const network = networkOf(stack)
  const { answer } = await network.send(authorization(repeated, 100))
  network.close()
  if (answer?.approved !== true) problems.push('journal lost: nothing is decided afterwards')
  await stack.drained().catch((error: unknown) => problems.push('journal lost: ' + String(error)))
  const injected = '4 pairs put back, 3 of them mismatched, after ' + witness.answered + ' answers'
  return { injected, problems }
}

interface Backup {
  journal: string
  postgres: string
}

/** Stops everything, copies both, and starts everything again. */
async function takeBackup(stack: Stack, name: string): Promise<Backup> {
  const backup = {
    journal: join(stack.directory, 'backup-' + name + '-journal'),
    postgres: join(stack.postgres.directory, 'backup-' + name),
  }
  await stopAll(stack)
  copy(join(stack.directory, 'journal'), backup.journal)
  copy(dataPathOf(stack.postgres.directory), backup.postgres)
  await startAll(stack)
  await happens(() => stack.ready(), READY_MS_MAX)
  return backup
}

async function restore(
  stack: Stack,
  from: { journal: Backup | null; postgres: Backup },
): Promise<void> {
  await stopAll(stack)
  replace(join(stack.directory, 'journal'), from.journal?.journal ?? null)
  replace(dataPathOf(stack.postgres.directory), from.postgres.postgres)
  await startAll(stack)
}

function replace(path: string, copied: string | null): void {
  rmSync(path, { recursive: true, force: true })
  if (copied !== null) copy(copied, path)
}

/** A copy keeps owners and modes. */
function copy(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to])
  if (status !== 0) throw new Error(String(stderr))
}

async function stopAll(stack: Stack): Promise<void> {
  await stack.apiProcess.stop()
  await stack.engineProcess.stop()
  await stack.postgres.stop()
}

async function startAll(stack: Stack): Promise<void> {
  stack.replacePostgres(await stack.postgres.restart())
  await stack.engineProcess.start()
  await stack.apiProcess.start()
}

async function serves(stack: Stack, what: string): Promise<string[]> {
  if (!(await happens(() => stack.ready(), READY_MS_MAX)))
    return [what + ': not ready: ' + (await stack.engine.status()).reason]
  const drained = await stack.drained().then(
    () => true,
    () => false,
  )
  return drained ? [] : [what + ': does not drain']
}

async function refuses(stack: Stack, what: string, sentence: RegExp): Promise<string[]> {
  const said = await happens(
    async () => sentence.test((await stack.engine.status()).reason ?? ''),
    READY_MS_MAX,
  )
  if (!said) return [what + ': said ' + (await stack.engine.status()).reason]
  return (await stack.ready()) ? [what + ': serves all the same'] : []
}

/** Accepts the loss with the command that the refusal names. */
async function acceptedLoss(stack: Stack, what: string): Promise<string[]> {
  const { reason } = await stack.engine.status()
  const named = /accept-loss (\S+)/.exec(reason ?? '')?.[1]
  if (named === undefined) return [what + ': the refusal names no way out: ' + reason]
  const { code, output } = await runNodeScript('scripts/journal.ts', ['accept-loss', named], {
    SVC_DATA_DIR: stack.directory,
    DATABASE_URL: stack.postgres.url,
  })
  if (code !== 0) return [what + ': accept-loss ended with ' + code + ': ' + output]
  return serves(stack, what + ', accepted')
}

function networkOf(stack: Stack) {
  const sandbox = { engine_url: stack.engineUrl, network: stack.secrets.network }
  return openNetwork(sandbox, systemClock, 1)
}

async function reasonOn(stack: Stack, cardId: string): Promise<string | null> {
  const card = Object.values(stack.secrets.cards).find(({ id }) => id === cardId)
  if (card === undefined) throw new Error('no card ' + cardId)
  const xid = await changeConfig(stack, (sql) => sql`select pg_current_xact_id()`)
  await coveredAfter(stack, xid, 5000)
  const network = networkOf(stack)
  const { answer } = await network.send(authorization(card, 100))
  network.close()
  return answer === null ? 'no answer' : answer.decline_reason
}
