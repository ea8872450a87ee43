// The front door as a process: the settings that it does not know, its metrics, its end.
import { once } from 'node:events'
import { test } from 'tap'
import { startDoorWith } from '../harness/door.ts'
import { parseMetrics } from '../harness/metrics-page.ts'
import { newDataDir } from '../harness/start.ts'

test('a front door names misspelt settings, explains its metrics and logs its stop', async (t) => {
  const door = await startDoorWith(t, {
    SVC_DATA_DIR: newDataDir(t),
    SVC_SHARDS: '2',
    SVC_DOOR_PRT: '1',
  })
  const families = parseMetrics(await door.metrics())
  t.ok(families.has('svc_door_open_messages'))
  for (const [name, { help }] of families) t.ok(help.length > 5, name + ' is explained')
  const ended = once(door.child, 'close')
  door.child.kill('SIGTERM')
  t.same(await ended, [0, null])
  t.match(door.output(), /SVC_DOOR_PRT is no setting: SVC_DOOR_PORT is meant\?/)
  t.same(door.output().match(/"msg":"front door stop\w+"/g), [
    '"msg":"front door stopping"',
    '"msg":"front door stopped"',
  ])
})
