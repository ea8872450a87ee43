// Physical standbys of a packaged PostgreSQL: its files are copied while it runs, and the copy
// streams from it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPool, type Sql } from '../../api/database/pool.ts'
import { dataPathOf, SUPERUSER } from './cluster.ts'

/** Settings of each server of such a set: any of them may be the primary next. */
export const REPLICATION_SETTINGS = { wal_keep_size: '256MB', wal_sender_timeout: '2s' } as const

interface PrimaryServer {
  url: string
  directory: string
}

/** Runs some statements on one server. */
export async function askServer<Value>(
  url: string,
  work: (sql: Sql) => Promise<Value>,
): Promise<Value> {
  const sql = openPool(url, { max: 1, applicationName: 'svc-standby' })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Fills an empty directory with the files of a standby of this primary, which runs. */
export async function copyPrimary(
  primary: PrimaryServer,
  { name, directory }: { name: string; directory: string },
): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const data = dataPathOf(directory)
  await askServer(primary.url, async (sql) => {
    await sql`select pg_backup_start(${name}, true)`
    await copy(dataPathOf(primary.directory), data)
    const [row] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
    for (const file of ['postmaster.pid', 'postmaster.opts'])
      rmSync(join(data, file), { force: true })
    own(join(data, 'backup_label'), row?.labelfile ?? '', data)
    own(join(data, STANDBY_FILE), '', data)
  })
  cpSync(join(primary.directory, 'password'), join(directory, 'password'))
}

/** Its presence makes a server a standby. */
export const STANDBY_FILE = 'standby.signal'

/** The settings with which a copy streams from the primary, under a name of its own. */
export function standbySettings(name: string, primaryUrl: string): { [name: string]: string } {
  const { password, port } = new URL(primaryUrl)
  const source = `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${password} application_name=${name}`
  return {
    ...REPLICATION_SETTINGS,
    primary_conninfo: source,
    wal_retrieve_retry_interval: '100ms',
  }
}

/** A commit waits from now on until one of these standbys has it; for none where there is none. */
export async function waitForAnyOf(primaryUrl: string, standbys: readonly string[]): Promise<void> {
  const names = standbys.length === 0 ? '' : 'ANY 1 (' + standbys.join(', ') + ')'
  await askServer(primaryUrl, async (sql) => {
    await sql.unsafe("alter system set synchronous_standby_names = '" + names + "'")
    await sql`select pg_reload_conf()`
  })
}

/** Files that the server removes meanwhile are no failure: the log tells the standby of them. */
async function copy(from: string, to: string): Promise<void> {
  const child = spawn('cp', ['-a', from, to], { stdio: 'ignore' })
  await once(child, 'exit')
  statSync(join(to, 'PG_VERSION'))
}

/** A file of the server's account. */
function own(path: string, text: string, like: string): void {
  writeFileSync(path, text, { mode: 0o600 })
  const { uid, gid } = statSync(like)
  chownSync(path, uid, gid)
}
