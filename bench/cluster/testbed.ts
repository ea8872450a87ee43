// Shards of three engines each over three nodes of etcd, and a front door, all on this machine and
// on one disk. The members of a shard have the same config records.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ShardKeys, shardKeys } from '../../engine/agreement/keys.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { readMeta } from '../../engine/journal/meta-file.ts'
import { MEMBER_PATHS } from '../../engine/member/link-paths.ts'
import { memberAuthorization } from '../../engine/member/member-token.ts'
import { Peers } from '../../engine/member/peer.ts'
import { foundShard, viewShard } from '../../scripts/cluster/shard.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { newId } from '../../shared/id.ts'
import { loadMasterKeys } from '../../shared/master-key-file.ts'
import { FIRST_SHARD, shardDirectory, shardNames } from '../../shared/shards.ts'
import { writeApprovals } from '../../test/faults/many-entries.ts'
import { type CardWorld, openCardWorld } from '../line/config-records.ts'
import { type EngineTestbed, startEngine } from '../line/engine.ts'
import { DATABASE, writeConfig } from '../line/engine-alone.ts'
import { newDirectory } from '../machine.ts'
import type { Findings } from '../measured.ts'
import { type Agreement, freePorts, leaderOf, startAgreement } from './agreement.ts'
import { type Door, startDoor } from './door-process.ts'
import { type Harm, inflict } from './harms.ts'

const MACHINES = ['a', 'b', 'c']
const LOOK_MS = 20
/** A member that may not take over by then says why, and the bench fails. */
const ELIGIBLE_MS_MAX = 10 * 60_000
/** An owner that stood still and kept its shard goes on. */
const ENDED_MS_MAX = 10_000
const HELD_CARDS = 100_000
/** Messages name these at most: their file is written before each load. */
const NAMED_CARDS_MAX = 10_000
const SEGMENT_BYTES = 16 * 1024 * 1024

/** The findings where etcd is not installed. */
export const WITHOUT_ETCD: Findings = {
  lines: [],
  figures: {},
  targets: [],
  flaws: ['etcd is not installed'],
}

export interface ClusterPlan {
  cards: number
  /** Open holds of the last seconds with which each member begins; none when absent. */
  holds?: number
  /** Cards on which the holds are; 100,000 when absent. */
  heldCards?: number
  /** 1 when absent; each has a program whose cards it decides. */
  shards?: number
  /** Settings of every engine. */
  environment?: { readonly [name: string]: string }
}

export interface Member {
  engine: EngineTestbed
  /** Host and port of the link to it. */
  address: string
  shard: string
}

export interface ClusterTestbed {
  /** The member that owns the first shard at the start. */
  readonly first: EngineTestbed
  readonly members: readonly Member[]
  readonly agreement: Agreement
  readonly door: Door
  readonly world: CardWorld
  /** Processor time of the engines that follow the first shard at the start, in microseconds. */
  followersCpuUs(): number
  /** Processor time of all engines. */
  enginesCpuUs(): number
  /** Does harm to the first shard; the function it resolves with mends it. */
  inflict(harm: Harm): Promise<() => Promise<void>>
  /** Waits until the member may take over; rejects where its process ended. */
  untilEligible(member: Member): Promise<void>
  close(): Promise<void>
}

/** Null where etcd is not installed. */
export async function openCluster(plan: ClusterPlan): Promise<ClusterTestbed | null> {
  const directory = newDirectory()
  const stops: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  try {
    const agreement = await startAgreement(directory, stops)
    if (agreement !== null) return { ...(await start(directory, agreement, plan, stops)), close }
    await close()
    return null
  } catch (error) {
    await close()
    throw error
  }
}

async function start(
  directory: string,
  agreement: Agreement,
  plan: ClusterPlan,
  stops: (() => unknown)[],
): Promise<Omit<ClusterTestbed, 'close'>> {
  const home = join(directory, MACHINES[0] ?? '')
  const shards = shardNames(plan.shards ?? 1)
  const { endpoints, store } = agreement
  const world = await fillHome(home, plan, { shards, store })
  // Before the first start: a journal directory that is copied is the same member.
  for (const name of MACHINES.slice(1)) cpSync(home, join(directory, name), { recursive: true })
  const several: { [name: string]: string } =
    shards.length > 1 ? { SVC_SHARDS: String(shards.length) } : {}
  const environment = { ...several, SVC_ETCD: endpoints.join(',') }
  const seeded = world.seeded({ cards: Math.min(plan.cards, NAMED_CARDS_MAX) })
  const members: Member[] = []
  for (const name of MACHINES)
    for (const shard of shards) {
      const [port = 0] = await freePorts(1)
      const address = '127.0.0.1:' + port
      const own = { SVC_MEMBER_ADDRESS: address, ...(shards.length > 1 && { SVC_SHARD: shard }) }
      const engine = await startEngine({
        directory: join(directory, name),
        seeded,
        tenants: shards.length,
        environment: { ...environment, ...plan.environment, ...own },
        shard,
        threadsApart: false,
      })
      stops.push(engine.close)
      await attach(engine)
      members.push({ engine, address, shard })
      if (name === MACHINES[0]) await engine.ready()
    }
  for (const shard of shards) await eligible(store, keysOf(shard))
  const door = await startDoor(home, environment)
  stops.push(() => door.end())
  await door.ready(shards.length)
  const ofFirst = members.filter(({ shard }) => shard === FIRST_SHARD)
  const [{ engine: first }] = ofFirst as [Member]
  const cpuUsOf = (some: readonly Member[]): number =>
    some.reduce((sum, { engine: { engine } }) => sum + engine.cpuUs(), 0)
  const harmed = harmedOf(ofFirst, agreement, keyOf(home))
  return {
    ...{ first, members, agreement, door, world },
    followersCpuUs: () => cpuUsOf(ofFirst.slice(1)),
    enginesCpuUs: () => cpuUsOf(members),
    inflict: (harm) => inflict(harm, harmed),
    untilEligible: (member) => untilEligible(store, member),
  }
}

function keysOf(shard: string): ShardKeys {
  return shardKeys('main', shard)
}

/** Config records and journals of one machine, and the foundings of its shards. */
async function fillHome(
  home: string,
  { cards, holds = 0, heldCards = HELD_CARDS }: ClusterPlan,
  { shards, store }: { shards: readonly string[]; store: AgreementStore },
): Promise<CardWorld> {
  const world = openCardWorld(home, shards.length > 1 ? shards : null)
  const facts = join(home, 'facts')
  await writeConfig(facts, world.records({ cards }))
  if (shards.length > 1) cpSync(facts, join(home, 'door-facts'), { recursive: true })
  for (const shard of shards) {
    const own = shardDirectory(home, shard)
    if (own !== home) cpSync(facts, join(own, 'facts'), { recursive: true })
    const journalId = await journalWith(own, holds, heldCards)
    await foundShard(store, keysOf(shard), { journalId, lastSeq: holds })
  }
  return world
}

/** Waits until every member of the shard reports anew that it may take over. */
async function eligible(store: AgreementStore, keys: ShardKeys): Promise<void> {
  const before = new Map(
    (await viewShard(store, keys)).members.map(({ id, revision }) => [id, revision]),
  )
  for (;;) {
    const { members } = await viewShard(store, keys)
    const able = members.filter(
      ({ id, report, revision }) => report.ineligible === null && before.get(id) !== revision,
    )
    if (able.length >= MACHINES.length) return
    await sleep(LOOK_MS)
  }
}

async function untilEligible(store: AgreementStore, { engine, shard }: Member): Promise<void> {
  const untilMs = performance.now() + ELIGIBLE_MS_MAX
  for (;;) {
    // Rejects where the process ended: its reports stay in etcd.
    const { member_id: memberId } = await engine.client.status()
    const { members } = await viewShard(store, keysOf(shard))
    const own = members.find(({ id }) => id === memberId)
    if (own?.report.ineligible === null) return
    if (performance.now() > untilMs)
      throw new Error('a member may not take over: ' + (own?.report.ineligible ?? 'no report'))
    await sleep(LOOK_MS)
  }
}

function harmedOf(
  members: readonly Member[],
  { nodes, store }: Agreement,
  authorization: string,
): Parameters<typeof inflict>[1] {
  const peers = new Peers({ clock: systemClock, tls: null, authorization })
  return {
    async owner() {
      const statuses = await Promise.all(members.map(({ engine }) => engine.client.status()))
      const owner = members[statuses.findIndex(({ ready }) => ready)]
      if (owner === undefined) throw new Error('no member owns the shard')
      return owner.engine
    },
    leader: () => leaderOf(nodes),
    async handOver(owner) {
      const member = members.find(({ engine }) => engine === owner)
      const path = MEMBER_PATHS.handOver
      const epoch = async (): Promise<number> =>
        (await viewShard(store, keysOf(FIRST_SHARD))).owner?.epoch ?? 0
      const before = await epoch()
      const reply = await peers.call(member?.address ?? '', { method: 'POST', path })
      // An owner that learns of the next one first ends before its answer leaves.
      if (reply?.status !== 200 && (reply !== null || (await epoch()) === before))
        throw new Error('the owner did not hand over: ' + (reply?.body ?? 'no answer'))
    },
    async whole() {
      for (const { engine } of members)
        if (!isRunning(engine)) {
          await engine.again()
          await attach(engine)
        }
      await eligible(store, keysOf(FIRST_SHARD))
    },
    async ended(member) {
      const untilMs = performance.now() + ENDED_MS_MAX
      while (isRunning(member) && performance.now() < untilMs) await sleep(LOOK_MS)
    },
  }
}

function isRunning({ engine: { pid } }: EngineTestbed): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The key that members show each other. */
function keyOf(dataDir: string): string {
  const keys = loadMasterKeys({ dataDir, configured: null, environment: 'sandbox' })
  if (!keys.ok) throw new Error(keys.error)
  return memberAuthorization(keys.value)
}

/** A database that drained nothing yet. */
async function attach({ client }: EngineTestbed): Promise<void> {
  await client.attach({ database_id: DATABASE, journal: null })
}

/** A journal with so many open holds, or an id for one that is made at the first start. */
async function journalWith(home: string, holds: number, heldCards: number): Promise<string> {
  if (holds === 0) return newId('jrn', systemClock.nowMs())
  const journal = join(home, 'journal')
  const placeOf = (index: number) => {
    const card = 'card_' + (index % heldCards)
    return { card: null, subjects: [card, 'ch_' + card, 'prog_1'] }
  }
  // Small ones: every member begins with a copy.
  await writeApprovals(journal, holds, placeOf, SEGMENT_BYTES)
  const meta = readMeta(journal)
  if (!meta.ok || meta.value === null) throw new Error('the journal was not made')
  return meta.value.journalId
}
