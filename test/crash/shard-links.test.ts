// An owner whose link to its followers is cut, in both directions and in each one alone. Members
// reach each other's links through lines that the test makes bad.
import { test } from 'tap'
import { type Line, openProxy, type Relay } from '../faults/proxy.ts'
import { type Cluster, startCluster, whole } from '../harness/cluster.ts'
import { Network } from '../harness/cluster-network.ts'
import { COMPILED } from '../harness/compiled.ts'
import { NEEDS_ETCD } from '../harness/etcd.ts'
import { freePorts } from '../harness/free-ports.ts'
import { file, perFile } from '../harness/per-file.ts'
import type { Teardown } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const LANES = 4
const LOST = 75
const MEMBERS = ['a', 'b', 'c']
/** Answers in more time than members wait for a silent owner. */
const KEPT_ANSWERS = 350
const ROUTES = new URL('../harness/routes.cjs', import.meta.url).pathname

async function withLinks(t: Teardown): Promise<{ cluster: Cluster; links: Map<string, Relay> }> {
  const ports = new Map<string, number>()
  const links = new Map<string, Relay>()
  const routes: { [port: string]: number } = {}
  for (const name of MEMBERS) {
    const [port = 0] = await freePorts(1)
    const relay = await openProxy(t, { host: '127.0.0.1', port })
    ports.set(name, port)
    links.set(name, relay)
    routes[port] = relay.port
  }
  const cluster = await startCluster(t, {
    linkPortOf: (name) => ports.get(name) ?? 0,
    environment: {
      NODE_OPTIONS: COMPILED.NODE_OPTIONS + ' --require=' + ROUTES,
      TEST_ROUTES: JSON.stringify(routes),
    },
  })
  return { cluster, links }
}

/** Each test leaves the cluster whole. */
const shared = perFile(() => withLinks(file))

interface Cut {
  name: string
  line: Partial<Line>
  isReplaced: boolean
}

const CUTS: readonly Cut[] = [
  { name: 'that its followers neither hear nor reach', line: { silent: true }, isReplaced: true },
  {
    name: 'that its followers do not hear',
    line: { filter: () => Buffer.alloc(0) },
    isReplaced: true,
  },
  { name: 'that does not hear its followers', line: { mute: true }, isReplaced: false },
]

for (const { name, line, isReplaced } of CUTS)
  test(
    'an owner ' + name + (isReplaced ? ' is replaced and leaves' : ' stays'),
    NEEDS_ETCD,
    async (t) => {
      const { cluster, links } = await shared()
      await whole(cluster)
      const network = new Network(t, () => cluster.members.map(({ engine }) => engine.port))
      network.start(LANES)
      await until(() => network.answered > 40)
      const owner = await cluster.owning()
      const { exited } = owner.engine
      const { epoch } = await cluster.owner()
      const link = links.get(owner.name)
      if (link === undefined) throw new Error('no link of ' + owner.name)
      t.ok(link.taken() > 0, 'its followers hear it through the line')
      const good = { ...link.line }
      Object.assign(link.line, line)
      const before = network.answered
      if (isReplaced) {
        await cluster.nextOwner(epoch)
        t.equal(await exited, LOST, 'its watch tells it that another member owns the shard')
      } else {
        await until(() => network.answered > before + KEPT_ANSWERS)
        t.equal((await cluster.owner()).epoch, epoch, 'its beats arrive')
      }
      const then = network.answered
      await until(() => network.answered > then + 40)
      Object.assign(link.line, good)
      link.cut()
      await network.stop()
      t.same(await network.contradictions(), [], network.sent.length + ' messages')
    },
  )
