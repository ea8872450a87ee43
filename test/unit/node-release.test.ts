import { test } from 'tap'
import { nodeBehind, warnOfOldNode } from '../../shared/node-release.ts'

test('a Node without the last security release is named, a later one is not', (t) => {
  for (const old of ['v22.23.3', '22.18.0', 'v20.20.2', 'v22.9.9'])
    t.match(nodeBehind(old), /^Node [\d.]+ lacks the security release of 2026-10-21/, old)
  for (const recent of ['v22.23.4', '22.23.10', 'v22.24.0', 'v24.0.0'])
    t.equal(nodeBehind(recent), null, recent)
  t.end()
})

test('a process warns once where its Node is behind', (t) => {
  const warned: unknown[] = []
  warnOfOldNode({ warn: (...words: unknown[]) => void warned.push(words) })
  t.equal(warned.length, nodeBehind(process.version) === null ? 0 : 1)
  t.end()
})
