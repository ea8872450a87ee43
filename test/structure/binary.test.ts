import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { ROOT } from './sources.ts'

// The upstream project publishes no npm package; this one repacks it, so the binary that runs is
// pinned by its hash.
const HASH_NODE_22_LINUX_X64 = '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af'

test('the HTTP server binary of the benches is the one that was reviewed', (t) => {
  const folder = join(ROOT, 'node_modules/uWebSockets.js/dist/bin')
  const path = ['uws_linux_x64_127.node', 'linux_x64_127.node']
    .map((name) => join(folder, name))
    .find((candidate) => existsSync(candidate))
  t.ok(path, 'the binary for Node 22 on Linux x64 is there')
  t.equal(createHash('sha256').update(readFileSync(path!)).digest('hex'), HASH_NODE_22_LINUX_X64)
  t.end()
})
