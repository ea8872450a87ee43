// A journal's directory belongs to one process, also of those in other containers: namespaces of
// their own for processes and networks share neither pids nor abstract sockets.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { lockDirectory } from '../../engine/journal/lock.ts'
import { happens } from '../harness/until.ts'

const CHILD = new URL('directory-holder.ts', import.meta.url).pathname
const APART = ['--net', '--pid', '--fork', '--kill-child']
/** Without root, a namespace of users comes first; some kernels allow neither. */
const UNSHARE = [APART, ['--user', '--map-root-user', ...APART]].find(
  (options) => spawnSync('unshare', [...options, 'true']).status === 0,
)

function directoryFor(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-held-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Starts a child under these words of a command; resolves with what it says first. */
async function hold(t: Test, words: readonly string[], directory: string) {
  const [command = '', ...before] = [...words, process.execPath, CHILD, directory]
  const child: ChildProcess = spawn(command, before, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [said] = (await once(child.stdout!, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

async function comparesWith(t: Test, words: readonly string[]): Promise<void> {
  const directory = directoryFor(t)
  const own = await lockDirectory(directory)
  t.ok(own !== null)
  t.equal(await lockDirectory(directory), null, 'also within one process')
  t.equal((await hold(t, words, directory)).said, 'refused')
  await own?.release()

  const { child, said } = await hold(t, words, directory)
  t.equal(said, 'holds', 'a released directory is free')
  t.equal(await lockDirectory(directory), null)
  child.kill('SIGKILL')
  await once(child, 'exit')
  // The process in the namespace dies a moment after the command that made it.
  let again = await lockDirectory(directory)
  const isFree = async (): Promise<boolean> => {
    again ??= await lockDirectory(directory)
    return again !== null
  }
  t.ok(await happens(isFree), 'a killed process holds nothing')
  await again?.release()
}

test('a directory has one holder among processes', (t) => comparesWith(t, []))

test(
  'a directory has one holder among containers',
  {
    skip: UNSHARE === undefined && 'this kernel gives us no namespaces',
  },
  (t) => comparesWith(t, ['unshare', ...(UNSHARE ?? [])]),
)
