// Redis as a careful administrator runs it if no decision may be lost: every change is in its log
// on the disk before its answer leaves. One server, in a directory of its own, reached over a
// socket of the machine.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { INTERVALS, type Policy, type World } from './world.ts'

export interface PeerRedis {
  /** The path of its socket. */
  path: string
  /** Its parent, which does nothing but wait. */
  pid: number
  stop(): Promise<void>
}

const PROGRAM = 'redis-server'
/**
 * A shell that waits for the end of a pipe which the kernel closes with us, however we end, and
 * then ends the server.
 */
const ENDS_WITH_US = '"$@" & child=$!; read -r _; kill "$child"; wait "$child"'
const READY_MS_MAX = 10_000
const READY_POLL_MS = 20
const FILL_MAX = 1000

/** Returns a sentence if no Redis is installed, else null. */
export function redisMissing(): string | null {
  const { status } = spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' })
  return status === 0
    ? null
    : PROGRAM + ' is not installed here: the peer with Redis is left out (apt install redis-server)'
}

/** Starts it and fills it. */
export async function startPeerRedis(directory: string, world: World): Promise<PeerRedis> {
  const own = join(directory, 'redis')
  mkdirSync(own, { recursive: true })
  const path = join(own, 'socket')
  const log = openSync(join(own, 'redis.log'), 'a')
  const settings = {
    port: '0',
    unixsocket: path,
    dir: own,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
    // The log is not written anew in the middle of a run.
    'auto-aof-rewrite-min-size': '8gb',
    'maxmemory-policy': 'noeviction',
  }
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      ENDS_WITH_US,
      'sh',
      PROGRAM,
      ...Object.entries(settings).flatMap(([name, value]) => ['--' + name, value]),
    ],
    { stdio: ['pipe', log, log] },
  )
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const stop = async (): Promise<void> => {
    child.stdin?.end()
    await exited
  }
  try {
    await fill(path, world)
  } catch (error) {
    await stop()
    throw error
  }
  return { path, pid: child.pid ?? 0, stop }
}

async function fill(path: string, world: World): Promise<void> {
  const startedAt = performance.now()
  const client = createClient({
    socket: {
      path,
      tls: false,
      reconnectStrategy: () =>
        performance.now() - startedAt > READY_MS_MAX
          ? new Error('Redis does not start')
          : READY_POLL_MS,
    },
  })
  // Until it listens every try fails; the last one rejects `connect`.
  client.on('error', () => undefined)
  await client.connect()
  const commands = [...commandsOf(world)]
  for (let at = 0; at < commands.length; at += FILL_MAX) {
    await Promise.all(
      commands.slice(at, at + FILL_MAX).map((command) => client.sendCommand(command)),
    )
  }
  await client.close()
}

function* commandsOf({ programs, cardholders, cards, policies }: World): Iterable<string[]> {
  const bound = new Set(policies.map(({ subjectId }) => subjectId))
  for (const { id, status } of programs) yield ['HSET', id, 'status', status]
  for (const { id, status, frozen } of cardholders)
    yield ['HSET', id, 'status', status, 'frozen', frozen ? '1' : '0']
  for (const card of cards) {
    yield ['SET', 'token:' + card.token, card.id]
    yield ['SET', 'pan:' + card.fingerprint, card.id]
    const subjects = [card.programId, card.cardholderId, card.id].filter((id) => bound.has(id))
    const fields = {
      id: card.id,
      status: card.status,
      exp_month: String(card.expMonth),
      exp_year: String(card.expYear),
      cvc: card.cvcVerifier,
      currency: card.currency,
      program: card.programId,
      cardholder: card.cardholderId,
      bound: subjects.join(' '),
    }
    yield ['HSET', 'card:' + card.id, ...Object.entries(fields).flat()]
  }
  for (const policy of policies) yield policyCommand(policy)
}

const LIMIT_FIELDS = ['per_authorization', 'd', 'w', 'm', 'y', 'a']

function policyCommand({ subjectId, blockedMccs, blockedCountries, limits }: Policy): string[] {
  const command = ['HSET', 'policy:' + subjectId, 'level', '']
  if (blockedMccs !== null) command.push('mccs', listText(blockedMccs))
  if (blockedCountries !== null) command.push('countries', listText(blockedCountries))
  for (const [at, interval] of INTERVALS.entries()) {
    const cents = limits[interval]
    if (cents !== null) command.push(LIMIT_FIELDS[at] ?? '', String(cents))
  }
  return command
}

function listText(values: readonly string[]): string {
  return ',' + values.join(',') + ','
}
