// Which processes take network messages: one engine, or one for each shard behind a front door.
import { test } from 'tap'
import type { StartConfig } from '../../scripts/start/config.ts'
import { lineProcesses } from '../../scripts/start/shards.ts'

const ISO = { SVC_ENGINE_ISO_PORT: '8583', SVC_ENGINE_ISO_NETWORK_KEY: 'nkey_1' }

const linesOf = (shards: number) =>
  lineProcesses({ shards, engine: { port: 4000 } } as StartConfig, { SVC_ENGINE_SOCKET: '/s' }, ISO)

test('one shard is one engine without a door', async (t) => {
  t.same(await linesOf(1), [['engine', { SVC_ENGINE_SOCKET: '/s', ...ISO }]])
})

test('each shard is an engine at a port of its own, and the door has the known ones', async (t) => {
  const lines = await linesOf(2)
  t.same(
    lines.map(([name, { SVC_SHARD: shard }]) => [name, shard]),
    [
      ['engine', 's1'],
      ['engine-s2', 's2'],
      ['door', undefined],
    ],
  )
  const [first, second, door] = lines.map(([, environment]) => environment)
  for (const engine of [first, second])
    t.match(engine, { SVC_ENGINE_HOST: '127.0.0.1', SVC_ENGINE_ISO_PORT: undefined })
  t.not(first?.['SVC_ENGINE_PORT'], second?.['SVC_ENGINE_PORT'])
  t.match(door, { SVC_DOOR_PORT: '4000', SVC_DOOR_ISO_PORT: '8583', SVC_ENGINE_SOCKET: '/s' })
})
