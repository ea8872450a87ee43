// The config records that cover the floor of a shard, also after another primary took over.
import { test } from 'tap'
import { DatabaseTimeline } from '../../engine/database-timeline.ts'
import { coversFloor, floorOf } from '../../engine/member/config-floor.ts'
import { snapshotFollows } from '../../shared/wire/control.ts'

const FIRST = 'ins_1:7123:1:5'
const SECOND = 'ins_1:7123:2:5'

test('a promotion that lost transactions does not hold the shard', (t) => {
  const timeline = new DatabaseTimeline(t.testdir())
  const covers = (floor: string, cursor: string, databaseId: string, attachedTo = databaseId) =>
    coversFloor(floor, { cursor, databaseId, attachedTo }, (id, former) =>
      timeline.replaces(id, former),
    )
  const floor = floorOf({ cursor: '900:905:', databaseId: FIRST })
  t.equal(covers(floor, '900:905:', FIRST), true)
  t.equal(covers(floor, '899:905:', FIRST), false, 'a member that lacks confirmed records')
  t.equal(covers(floor, '800:800:', SECOND), true, 'the whole copy of the new primary')
  t.equal(covers(floor, '800:800:', SECOND, FIRST), false, 'a copy of a database not attached')
  const raised = floorOf({ cursor: '800:801:', databaseId: SECOND })
  t.equal(covers(raised, '950:950:', FIRST), false, 'an old primary covers nothing')
  t.equal(covers('900:905:', '899:905:', SECOND), false, 'a floor of the release before')
  t.equal(snapshotFollows('900:905:', floor), true, 'as the release before reads it')
  t.equal(snapshotFollows('899:905:', floor), false)
  t.end()
})
