// Promotions of a cluster's PostgreSQL when something else breaks too: the primary died by itself,
// a standby is away, the call was cut between the promotion and the naming of the new primary, or a
// server lost its files for good.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { Databases } from '../../scripts/cluster/databases.ts'
import { DATABASE_NAMES } from '../../scripts/cluster/layout.ts'
import { dataPathOf } from '../../scripts/postgres/cluster.ts'
import { askServer } from '../../scripts/postgres/standby.ts'
import { freePorts } from '../harness/free-ports.ts'
import { until } from '../harness/until.ts'

const CUT = 'the call was cut'

/** Three servers, the first one the primary. */
class ServerSet {
  readonly kept = { primary: 'a', isCut: false }
  readonly said: string[] = []
  readonly #directory = mkdtempSync(join(tmpdir(), 'svc-test-promote-'))
  readonly #ports: readonly number[]
  #databases: Databases | null = null

  constructor(ports: readonly number[]) {
    this.#ports = ports
  }

  get databases(): Databases {
    if (this.#databases === null) throw new Error('The servers do not run.')
    return this.#databases
  }

  /** As the command that runs the cluster starts them. */
  async start(): Promise<void> {
    const { kept } = this
    const [postgresPort = 0, ...standbyPorts] = this.#ports
    this.#databases = await Databases.start({
      layout: { directory: this.#directory, postgresPort, standbyPorts, primary: kept.primary },
      say: (line) => this.said.push(line),
      onPrimary(name) {
        if (kept.isCut) throw new Error(CUT)
        kept.primary = name
      },
    })
  }

  async remove(): Promise<void> {
    await this.#databases?.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  directoryOf(name: string): string {
    return join(this.#directory, name === 'a' ? 'postgres' : 'postgres-' + name)
  }

  async lineOf(name: string): Promise<string> {
    const lines = (await this.databases.status()).split('\n')
    return lines.find((line) => line.startsWith('PostgreSQL ' + name)) ?? ''
  }

  /** The postmaster dies, as by a crash. */
  async crash(name: string): Promise<void> {
    const file = join(dataPathOf(this.directoryOf(name)), 'postmaster.pid')
    process.kill(Number(readFileSync(file, 'utf8').split('\n', 1)[0]), 'SIGKILL')
    await until(async () => (await this.lineOf(name)).includes('does not answer'))
  }

  /** A crash after which the server does not start any more. */
  async ruin(name: string): Promise<void> {
    await this.crash(name)
    rmSync(join(dataPathOf(this.directoryOf(name)), 'global', 'pg_control'))
  }

  /** Commits on the primary, and waits for a standby as every commit does. */
  write(value: number): Promise<void> {
    return askServer(this.#urlOf(this.databases.primary), async (sql) => {
      await sql`create table if not exists marks (value int)`
      await sql`insert into marks values (${value})`
    })
  }

  values(name = this.databases.primary): Promise<number[]> {
    return askServer(this.#urlOf(name), async (sql) => {
      const rows = await sql<{ value: number }[]>`select value from marks order by value`
      return rows.map(({ value }) => value)
    })
  }

  #urlOf(name: string): string {
    const port = this.#ports[DATABASE_NAMES.indexOf(name)]
    return this.databases.url.replace(/@[^/]+\//, '@127.0.0.1:' + port + '/')
  }
}

async function startSet(t: Test): Promise<ServerSet> {
  const set = new ServerSet(await freePorts(DATABASE_NAMES.length))
  t.teardown(() => set.remove())
  await set.start()
  await set.write(1)
  return set
}

test('a primary that died by itself is replaced, and a standby that died is started again', async (t) => {
  const set = await startSet(t)
  await set.crash('a')
  await set.crash('c')
  t.match(await set.databases.promote(undefined), /^[bc] is the primary; a was copied anew/)
  t.same(await set.values(), [1])
  await set.write(2)
  for (const name of DATABASE_NAMES) await until(async () => (await set.values(name)).length === 2)
  t.match(await set.lineOf(set.kept.primary), /PRIMARY {2}2 standbys stream/)
})

test('a standby that is lost stands against a promotion, unless it is left out by force', async (t) => {
  const set = await startSet(t)
  await set.crash('c')
  rmSync(set.directoryOf('c'), { recursive: true, force: true })
  await t.rejects(set.databases.promote('x'), /No standby x/)
  await t.rejects(set.databases.promote('c'), /c does not answer.* a goes on/)
  await t.rejects(set.databases.promote('b'), /--force leaves it out\. a goes on/)
  t.equal(set.databases.primary, 'a')
  await set.write(2)
  t.match(await set.databases.promote('b', true), /^b is the primary/)
  t.same(await set.values(), [1, 2])
  await set.write(3)
  t.match(await set.lineOf('b'), /PRIMARY {2}2 standbys stream/)
})

test('a promotion that was cut before its naming is finished by the next call', async (t) => {
  const set = await startSet(t)
  set.kept.isCut = true
  await t.rejects(set.databases.promote('b'), CUT)
  set.kept.isCut = false
  // The next timeline may have commits already: the api finds whoever takes writes.
  await set.write(2)
  await t.rejects(set.databases.promote('c'), /b was promoted by a call that was cut/)
  t.equal(set.kept.primary, 'b')
  t.same(await set.values(), [1, 2])
  t.match(await set.lineOf('b'), /PRIMARY {2}2 standbys stream/)
  t.match(await set.lineOf('a'), /standby/)
})

test('a promotion that was cut before its naming is finished by the next start', async (t) => {
  const set = await startSet(t)
  set.kept.isCut = true
  await t.rejects(set.databases.promote('b'), CUT)
  set.kept.isCut = false
  await set.write(2)
  await set.databases.stop()
  t.equal(set.kept.primary, 'a', 'nobody named the new primary')
  await set.start()
  t.equal(set.kept.primary, 'b')
  await t.rejects(set.databases.promote(undefined), /b was promoted before and answers/)
  t.same(await set.values(), [1, 2], 'what the new primary committed is kept')
  await set.write(3)
  t.match(await set.lineOf('b'), /PRIMARY {2}2 standbys stream/)
})

test('a call that was refused does not stand against the forced one, with the primary dead', async (t) => {
  const set = await startSet(t)
  await until(async () => (await set.values('b')).length === 1)
  await set.ruin('a')
  await set.crash('c')
  rmSync(set.directoryOf('c'), { recursive: true, force: true })
  await t.rejects(
    set.databases.promote('b'),
    /c does not answer.*--force leaves it out\. a does not start either: /,
  )
  await t.rejects(set.databases.promote(undefined), /--force leaves it out/)
  t.match(await set.databases.promote('b', true), /^b is the primary; a was copied anew/)
  t.equal(set.kept.primary, 'b')
  t.same(await set.values(), [1])
  await set.write(2)
  t.match(await set.lineOf('b'), /PRIMARY {2}2 standbys stream/)
  t.match(await set.lineOf('a'), /standby/)
})

test('a start without the files of the primary waits for a promotion, and makes no empty one', async (t) => {
  const set = await startSet(t)
  await until(async () => (await set.values('b')).length === 1)
  await set.databases.stop()
  rmSync(set.directoryOf('a'), { recursive: true, force: true })
  await set.start()
  t.match(set.said.join('\n'), /a does not start: .*lost its files.*\n.*cluster -- promote/)
  t.match(await set.databases.status(), /a {2}does not answer\nPostgreSQL b {2}standby/)
  let isWaiting = true
  const signal = new AbortController().signal
  const waiting = set.databases.untilPrimary(signal).then(() => {
    isWaiting = false
  })
  await set.lineOf('b')
  t.equal(isWaiting, true)
  t.match(await set.databases.promote('b'), /^b is the primary; a was copied anew/)
  await waiting
  t.same(await set.values(), [1])
  await set.write(2)
  t.match(await set.lineOf('b'), /PRIMARY {2}2 standbys stream/)
})

test('a server that a cut call promoted and that is ruined is given up by force alone', async (t) => {
  const set = await startSet(t)
  await until(async () => (await set.values('c')).length === 1)
  set.kept.isCut = true
  await t.rejects(set.databases.promote('b'), CUT)
  set.kept.isCut = false
  await set.ruin('b')
  await t.rejects(set.databases.promote('c'), /b was promoted .* does not start.*--force gives it/)
  await set.databases.stop()
  await set.start()
  t.equal(set.kept.primary, 'b')
  await t.rejects(set.databases.promote('c'), /b was promoted .* does not start.*--force gives it/)
  t.match(await set.databases.promote('c', true), /^c is the primary/)
  t.same(await set.values(), [1])
  await set.write(2)
  t.match(await set.lineOf('c'), /PRIMARY {2}2 standbys stream/)
})

test('one promotion at a time, and a repeated call promotes no other server', async (t) => {
  const set = await startSet(t)
  const first = set.databases.promote('b')
  await t.rejects(set.databases.promote('c'), /A promotion is going on\./)
  t.match(await first, /^b is the primary/)
  await t.rejects(set.databases.promote(undefined), /b was promoted before and answers/)
  await t.rejects(set.databases.promote('b'), /b is the primary already/)
  t.match(await set.lineOf('b'), /PRIMARY {2}2 standbys stream/)
  await set.crash('b')
  t.match(await set.databases.promote(undefined), /^[ac] is the primary; b was copied anew/)
  t.same(await set.values(), [1])
})
