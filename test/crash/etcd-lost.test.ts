// Etcd itself as the fault: all of it lost, restored to an earlier state, or out of space. Members
// refuse it with a sentence, and the shard comes back as its runbook says.
import { type Test, test } from 'tap'
import { foundTransaction } from '../../engine/agreement/protocol.ts'
import { runNodeScript } from '../faults/script.ts'
import { type Cluster, startCluster, whole } from '../harness/cluster.ts'
import { Network, newBody, sendOnce } from '../harness/cluster-network.ts'
import { MASTER_KEY_TEXT } from '../harness/engine.ts'
import { engineEnvironment } from '../harness/engine-child.ts'
import { NEEDS_ETCD, settled, transacted } from '../harness/etcd.ts'
import { freePorts } from '../harness/free-ports.ts'
import { file, perFile } from '../harness/per-file.ts'
import { openRunbook } from '../harness/runbook.ts'
import { until } from '../harness/until.ts'

const LANES = 6
const FAIL_STOP = 70
/** Small enough to be filled by a test, large enough for its members. */
const QUOTA_BYTES = 8 * 1024 * 1024
const JUNK_BYTES = 512 * 1024

function networkOf(t: Test, { members }: Cluster): Network {
  return new Network(t, () => members.map(({ engine }) => engine.port))
}

/** The nodes come back with empty disks. */
async function loseEtcd({ nodes }: Cluster): Promise<void> {
  for (const node of nodes) await node.loseDisk()
  for (const node of nodes) node.start()
}

async function killMembers({ members }: Cluster): Promise<void> {
  for (const member of members) {
    await member.settle()
    member.engine.child.kill('SIGKILL')
    await member.engine.exited
  }
}

/** The first test leaves the cluster whole. */
const shared = perFile(() => startCluster(file, { quotaBytes: QUOTA_BYTES }))

/** The page that both tests play. */
const book = openRunbook('shard-without-owner')

/** Runs the command of the page at the first member, beside a copy of another one. */
function adopt({ nodes, members }: Cluster) {
  const [first, second] = members
  return book.run('npm run cluster -- adopt --beside DIR', {
    values: { DIR: second?.directory ?? '' },
    environment: {
      SVC_ETCD: nodes.map(({ endpoint }) => endpoint).join(','),
      SVC_DATA_DIR: first?.directory ?? '',
      SVC_MASTER_KEY: MASTER_KEY_TEXT,
    },
  })
}

test('etcd without space: nothing is answered, and space brings it back', NEEDS_ETCD, async (t) => {
  const cluster = await shared()
  const { nodes, store } = cluster
  const network = networkOf(t, cluster)
  await network.deliver(newBody())
  const owner = await cluster.owning()
  const value = Buffer.alloc(JUNK_BYTES, 7)
  for (let key = 0; ; key++) {
    const put = { write: 'put' as const, key: '/junk/' + key, value }
    const outcome = await transacted(store, { compares: [], writes: [put], otherwise: [] })
    if (outcome.outcome === 'unknown' && outcome.reason.includes('space')) break
  }
  const { body } = newBody()
  const answer = await sendOnce(owner.engine.port, body, 1500)
  t.not(answer?.status, 200, 'no decision leaves that etcd did not take')
  const page = await (await fetch(owner.engine.url + '/metrics')).text()
  t.match(page, /^svc_agreement_unknown_total [1-9]/m, 'the owner’s metrics show it')

  const removed = await settled(store, {
    compares: [],
    writes: [{ write: 'remove', from: '/junk/', until: '/junk0' }],
    otherwise: [],
  })
  t.equal(removed.outcome, 'succeeded', 'what frees space is taken')
  await new Promise<void>((resolve) => store.compact(removed.revision, () => resolve()))
  const ofEtcd = async (command: string, endpoint = nodes[0]?.endpoint ?? ''): Promise<string> => {
    const environment = { ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: endpoint }
    return (await book.run(command, { environment })).output
  }
  t.match(await ofEtcd('etcdctl endpoint status --cluster'), nodes[2]?.endpoint)
  t.match(await ofEtcd('etcdctl alarm list'), 'NOSPACE')
  for (const { endpoint } of nodes) await ofEtcd('etcdctl defrag', endpoint)
  await ofEtcd('etcdctl alarm disarm')
  t.notMatch(await ofEtcd('etcdctl alarm list'), 'NOSPACE')
  await network.deliver(newBody())
  const late = await network.deliver({ id: 'late', body })
  t.equal(late.answers.length, 1, 'the message is decided once there is space')
  t.same(await network.contradictions(), [])
})

test('all of etcd is lost: the shard goes on from the longest journal', NEEDS_ETCD, async (t) => {
  const cluster = await whole(await shared())
  const { members, nodes, store, keys } = cluster
  const network = networkOf(t, cluster)
  network.start(LANES)
  await until(() => network.answered > 60)
  await network.stop()
  const { epoch } = await cluster.owner()
  const early = await adopt(cluster)
  t.equal(early.code, 1)
  t.match(early.output, /An engine runs on .*journal: stop it first/)
  await loseEtcd(cluster)
  await killMembers(cluster)
  const adopted = await adopt(cluster)
  t.equal(adopted.code, 0, adopted.output)
  t.match(adopted.output, /goes on with the journal of \S+ up to entry \d+, after epoch \d+/)
  await Promise.all(members.map((member) => member.restart()))
  const owner = await cluster.nextOwner(epoch + 1)
  t.ok(owner.epoch > epoch + 1, 'no owner of before passes the fence')
  await network.deliver(newBody())
  t.same(await network.contradictions(), [], 'every repeat gets its first answer')
  await until(async () => {
    const ends = await Promise.all(
      members.map(async ({ engine }) => (await engine.client.status()).synced_seq),
    )
    return new Set(ends).size === 1
  })

  const { journal_id: journalId } = (await members[0]?.engine.client.status()) ?? {}
  const lastSeq = (await members[0]?.engine.client.status())?.synced_seq ?? 0
  await loseEtcd(cluster)
  await killMembers(cluster)
  await settled(store, foundTransaction(keys, { journalId: journalId ?? '', lastSeq }))
  const [port = 0, linkPort = 0] = await freePorts(2)
  const refused = await runNodeScript('engine/main.ts', [], {
    ...engineEnvironment(members[0]?.directory ?? '', port),
    SVC_ETCD: nodes.map(({ endpoint }) => endpoint).join(','),
    SVC_MEMBER_ADDRESS: '127.0.0.1:' + linkPort,
  })
  t.equal(refused.code, FAIL_STOP)
  t.match(refused.output, /etcd names epoch \d+, and this member saw an owner in epoch \d+/)
  t.same(book.left(), [], 'every command of the page was played')
})
