// The socket of the cluster's commands: each way to get no answer has a sentence of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { askCluster, takeCommands } from '../../scripts/cluster/command-socket.ts'

const STATUS = { command: 'status', force: false }

function newDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-test-socket-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function closeAtEnd(t: Test, server: Server): void {
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
}

test('answers and refusals arrive as they are', async (t) => {
  const directory = newDirectory(t)
  const server = await takeCommands(directory, async ({ command }) => {
    if (command === 'status') return 'all is well'
    throw new Error('No such command: ' + command)
  })
  closeAtEnd(t, server)
  t.same(await askCluster(directory, STATUS), { ok: true, value: 'all is well' })
  t.same(await askCluster(directory, { command: 'x', force: false }), {
    ok: false,
    error: 'No such command: x',
  })
})

test('a command that is not answered in time is not said to have no cluster', async (t) => {
  const directory = newDirectory(t)
  closeAtEnd(t, await takeCommands(directory, () => new Promise(() => undefined)))
  const answer = await askCluster(directory, STATUS, 20)
  t.match(answer, { ok: false, error: /^No answer in 1 s; the command may still be going on/ })
})

test('a cluster that ends within a call is told from none', async (t) => {
  const directory = newDirectory(t)
  t.match(await askCluster(directory, STATUS), { ok: false, error: /^No cluster runs in / })
  const server = createServer((asked) => asked.socket.destroy())
  await new Promise<void>((resolve) => server.listen(join(directory, 'cluster.sock'), resolve))
  closeAtEnd(t, server)
  t.match(await askCluster(directory, STATUS), { ok: false, error: /^The cluster cut the call, / })
})
