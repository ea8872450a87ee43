// The front door before a shard of three engines: it answers across the death of an owner and a
// hand-over, and refuses in time where no engine answers. The network repeats what is open at a
// door that ends.
import { connect } from 'node:net'
import { type Test, test } from 'tap'
import { MEMBER_PATHS } from '../../engine/member/link-paths.ts'
import { memberAuthorization } from '../../engine/member/member-token.ts'
import { Peers } from '../../engine/member/peer.ts'
import { parseReport } from '../../engine/ownership/members.ts'
import { systemClock } from '../../shared/clock.ts'
import { type Cluster, startCluster, whole } from '../harness/cluster.ts'
import { Network, newBody, sendOnce } from '../harness/cluster-network.ts'
import { startDoor, type TestDoor } from '../harness/door.ts'
import { ENGINE_KEYS } from '../harness/engine.ts'
import { NEEDS_ETCD, ranged } from '../harness/etcd.ts'
import { file, perFile } from '../harness/per-file.ts'
import { until } from '../harness/until.ts'
import { Random } from '../simulation/random.ts'

const LANES = 8
const OPEN = 1000

function metric(page: string, name: string): number {
  return Number(new RegExp('^' + name + ' (\\S+)$', 'm').exec(page)?.[1])
}

/** Address of the owner's member link. */
async function linkOf({ store, keys, owner }: Cluster): Promise<string> {
  const { memberId } = await owner()
  const read = await ranged(store, [{ from: keys.member(memberId), until: null }])
  const value = read.outcome === 'read' ? read.reads[0]?.[0]?.value : undefined
  return value === undefined ? '' : (parseReport(value)?.address ?? '')
}

function peersWith(authorization: string): Peers {
  return new Peers({ clock: systemClock, tls: null, authorization })
}

/** Asks the owner to hand over; answers whether it agreed. */
async function handOver(cluster: Cluster): Promise<boolean> {
  const peers = peersWith(memberAuthorization(ENGINE_KEYS))
  const call = { method: 'POST', path: MEMBER_PATHS.handOver }
  const reply = await peers.call(await linkOf(cluster), call)
  return reply?.status === 200
}

/** Each test but the last leaves the cluster whole. */
const shared = perFile(async () => {
  const cluster = await startCluster(file)
  return { cluster, door: await startDoor(file, cluster) }
})

async function doorAndCluster(t: Test): Promise<{
  cluster: Cluster
  door: TestDoor
  network: Network
}> {
  const { cluster, door } = await shared()
  await whole(cluster)
  const network = new Network(t, () => [door.port])
  await network.deliver(newBody())
  return { cluster, door, network }
}

test('an owner that is killed costs the network no repeat and no answer', NEEDS_ETCD, async (t) => {
  const { cluster, door, network } = await doorAndCluster(t)
  network.start(LANES)
  await until(() => network.answered > 60)
  const owner = await cluster.owning()
  const { epoch } = await cluster.owner()
  owner.engine.child.kill('SIGKILL')
  await cluster.nextOwner(epoch)
  const before = network.answered
  await until(() => network.answered > before + 40)
  await network.stop()
  t.equal(network.refused.get(401), undefined, 'each message keeps its own bytes')
  t.same(await network.contradictions(), [], network.sent.length + ' messages')
  const next = await cluster.owning()
  const ofOwner = await (await fetch(next.engine.url + '/metrics')).text()
  t.match(ofOwner, /^svc_member_take_overs_total\{cause="\w+"\} 1$/m)
  const page = await door.metrics()
  t.ok(metric(page, 'svc_door_resent_total') > 0, 'what was open went to the next owner')
  t.equal(metric(page, 'svc_door_quarantined_total'), 0)
  t.equal(metric(page, 'svc_door_open_messages'), 0)
  t.equal(metric(page, 'svc_ready'), 1)
  await owner.restart()
})

test('a hand-over under load loses no message', NEEDS_ETCD, async (t) => {
  const { cluster, network } = await doorAndCluster(t)
  network.start(LANES)
  await until(() => network.answered > 60)
  const before = await cluster.owning()
  const { epoch } = await cluster.owner()
  await until(() => handOver(cluster))
  t.equal(await before.engine.exited, 75, 'the owner before ends, to follow at its next start')
  const next = await cluster.nextOwner(epoch + 1)
  const answered = network.answered
  await until(() => network.answered > answered + 40)
  await network.stop()
  t.same(await network.contradictions(), [])
  t.ok(next.epoch >= epoch + 2, 'the named member took over in an epoch of its own')
})

/** Upgrades a connection of the member link, writes the bytes, and returns what came back. */
function upgraded(address: string, authorization: string, bytes: Buffer): Promise<string> {
  const [host = '', port = ''] = address.split(':')
  return new Promise((resolve) => {
    let text = ''
    const socket = connect({ host, port: Number(port) })
    socket.write(
      'GET ' +
        MEMBER_PATHS.messages +
        ' HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: svc-messages\r\nAuthorization: ' +
        authorization +
        '\r\n\r\n',
    )
    socket.on('data', (part) => {
      if (text === '') socket.write(bytes)
      text += part
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
  })
}

test('the member link tells a stranger nothing and survives every byte', NEEDS_ETCD, async (t) => {
  const { cluster, network } = await doorAndCluster(t)
  const address = await linkOf(cluster)
  const stranger = peersWith('Bearer ' + 'a'.repeat(43))
  for (const path of [...Object.values(MEMBER_PATHS), MEMBER_PATHS.control + '/status']) {
    const reply = await stranger.call(address, { method: 'GET', path })
    t.equal(reply?.status, 401, path)
  }
  t.match(await upgraded(address, 'Bearer x', Buffer.alloc(0)), 'HTTP/1.1 401')
  const own = memberAuthorization(ENGINE_KEYS)
  const random = new Random(3)
  for (let round = 0; round < 50; round++) {
    const bytes = Buffer.from(Array.from({ length: 64 }, () => random.below(256)))
    // A frame that is too long, or one that is too short for its texts.
    bytes.writeUInt32LE(round % 2 === 0 ? 2 ** 31 : 12, 0)
    bytes.writeUInt16LE(5000, 10)
    t.match(await upgraded(address, own, bytes), 'HTTP/1.1 101')
  }
  const { answers } = await network.deliver(newBody())
  t.equal(answers.length, 1, 'the owner answers as before')
})

function signalAll({ members }: Cluster, signal: NodeJS.Signals): void {
  for (const { engine } of members) engine.child.kill(signal)
}

test('two doors that are killed with a thousand open messages lose none', NEEDS_ETCD, async (t) => {
  const cluster = await whole((await shared()).cluster)
  const doors = [await startDoor(t, cluster), await startDoor(t, cluster)]
  let turn = 0
  // Every message goes to the next door, so that both have half of them.
  const network = new Network(t, () => [doors[turn++ % doors.length]?.port ?? 0])
  await network.deliver(newBody())
  signalAll(cluster, 'SIGSTOP')
  const sending = Promise.all(Array.from({ length: OPEN }, () => network.deliver(newBody())))
  const openAt = async (door: TestDoor): Promise<number> =>
    metric(await door.metrics(), 'svc_door_open_messages')
  await until(async () => {
    const open = await Promise.all(doors.map(openAt))
    return open.every((count) => count > OPEN / 4) && open[0]! + open[1]! > OPEN * 0.9
  })
  for (const { child } of doors) child.kill('SIGKILL')
  doors.splice(0, 2, await startDoor(t, cluster), await startDoor(t, cluster))
  signalAll(cluster, 'SIGCONT')
  await sending
  t.equal(network.answered, OPEN + 1)
  t.same(await network.contradictions(), [], 'each repeat gets the answer that it had')
})

test('without an owner the door refuses in time', NEEDS_ETCD, async (t) => {
  const { cluster, door } = await doorAndCluster(t)
  const expired = async (): Promise<number> =>
    metric(await door.metrics(), 'svc_door_expired_total')
  const before = await expired()
  for (const { engine } of cluster.members) engine.child.kill('SIGSTOP')
  const answer = await sendOnce(door.port, newBody().body, 30_000)
  t.equal(answer?.status, 503)
  t.match(answer?.text, 'No engine answered in time')
  t.equal((await expired()) - before, 1)
  t.equal(metric(await door.metrics(), 'svc_door_open_messages'), 0)
})
