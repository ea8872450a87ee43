import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Test, test } from 'tap'

const PARENT = new URL('../../shared/parent.ts', import.meta.url).href
const TOLD = 7

/** A process that ends with TOLD when told to stop; `before` runs before it asks. */
function startChild(t: Test, before = ''): ChildProcess {
  const source = [
    'import { onceToldToStop, signalReady } from ' + JSON.stringify(PARENT),
    'const alive = setInterval(() => {}, 1000)',
    before,
    'let times = 0',
    'onceToldToStop(() => { times += 1; setTimeout(() => process.exit(times === 1 ? ' +
      TOLD +
      ' : 1), 100) })',
    'signalReady()',
  ].join('\n')
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  return child
}

test('a process reports ready and stops once, whatever is sent how often', async (t) => {
  const child = startChild(t)
  t.same((await once(child, 'message'))[0], { ready: true })
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  child.kill('SIGINT')
  child.disconnect()
  t.same(await ended, [TOLD, null])
})

test('a process stops when its parent is gone', async (t) => {
  const child = startChild(t)
  await once(child, 'message')
  const ended = once(child, 'exit')
  child.disconnect()
  t.same(await ended, [TOLD, null])
})

test('a child notices a parent that died during the child’s start', async (t) => {
  const child = startChild(
    t,
    'while (process.connected) await new Promise((resolve) => setImmediate(resolve))',
  )
  const ended = once(child, 'exit')
  child.disconnect()
  t.same(await ended, [TOLD, null])
})
