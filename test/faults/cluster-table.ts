// The faults of several machines, by their rows: each is played by tests on a real etcd.
import { PROCESS_S } from '../harness/test-processes.ts'
import { tested } from './by-test.ts'
import type { Effort, Fault } from './fault.ts'

const LINES = 'test/crash/shard-lines.test.ts'
const LINKS = 'test/crash/shard-links.test.ts'
const FAULTS = 'test/crash/shard-faults.test.ts'
const DISKS = 'test/crash/shard-disks.test.ts'
const POWER = 'test/crash/shard-power.test.ts'
const DOOR = 'test/crash/front-door.test.ts'
const MEMBERS = 'test/crash/members.test.ts'
const PROMOTED = 'test/crash/promoted.test.ts'

/** A cut takes about ten seconds: three machines end and start. */
const CUT_S = 20
const HOUR_S = 3600

/** 300 cuts in the long form. */
const cutsOf = ({ kills }: Effort) => {
  const cuts = Math.ceil(kills * 6)
  return { SVC_TEST_CUTS: String(cuts), TAP_TIMEOUT: String(PROCESS_S + cuts * CUT_S) }
}

/** An hour in the long form. */
const secondsOf = ({ downSeconds }: Effort) => {
  const seconds = Math.min(HOUR_S, downSeconds * 60)
  return { SVC_TEST_SECONDS: String(seconds), TAP_TIMEOUT: String(PROCESS_S + seconds) }
}

export const CLUSTER_FAULTS: readonly Fault[] = [
  tested(51, 'ABF', 'the owner of a shard is killed under load', [DOOR, MEMBERS]),
  tested(52, 'ABF', 'the owner and a node of etcd end together, its leader alone', [FAULTS]),
  tested(53, 'AF', 'an owner that stood still goes on', [MEMBERS, 'test/crash/history.test.ts']),
  tested(54, 'AF', 'an owner cut off from etcd or its followers, also in one direction', [
    LINES,
    LINKS,
  ]),
  tested(55, 'AB', 'followers killed, paused, on a slow disk and on a full one', [LINES, DISKS]),
  tested(56, 'AE', 'a disk replaced, a member behind the compaction', [MEMBERS]),
  tested(57, 'AJ', 'a journal corrupt in the middle, a frame with a turned bit', [
    LINES,
    'test/unit/agreement-frame.test.ts',
  ]),
  tested(58, 'ABCF', 'the power of every machine is cut, etcd’s disks too', [POWER], cutsOf),
  tested(59, 'BF', 'one node of etcd gone, two gone', [FAULTS, 'test/crash/agreement.test.ts']),
  tested(60, 'AB', 'a slow etcd that drops connections', [LINES]),
  tested(61, 'AFJ', 'etcd without space, restored, lost', [
    'test/crash/etcd-lost.test.ts',
    'test/live/adopt.test.ts',
  ]),
  tested(62, 'AJ', 'clocks two minutes apart, and one that leaps back', [
    'test/crash/moved-clocks.test.ts',
  ]),
  tested(63, 'ABE', 'a rolling deploy to the next release and back', [
    'test/drills/rolling-deploy.test.ts',
  ]),
  tested(64, 'AB', 'front doors killed, and a message that kills two owners', [
    LINES,
    DOOR,
    'test/crash/poison.test.ts',
    'test/unit/held-messages.test.ts',
  ]),
  tested(65, 'CG', 'PostgreSQL killed and promoted, its old primary back', [PROMOTED]),
  tested(66, 'BH', 'no standby, and nothing drained for an hour', [PROMOTED, DISKS], secondsOf),
  tested(67, 'C', 'a standby promoted that lost rows', [PROMOTED]),
  tested(68, 'G', 'a suspension that was confirmed before the owner ended', [FAULTS]),
]
