// The shard of a cluster as its scripts see it: founded where it is new, and asked for its owner.

import type { ShardKeys } from '../../engine/agreement/keys.ts'
import {
  type Founding,
  foundTransaction,
  type Owner,
  readFounding,
  readOwner,
} from '../../engine/agreement/protocol.ts'
import type { AgreementStore, KeyValue, Read } from '../../engine/agreement/store.ts'
import { type MemberReport, parseReport } from '../../engine/ownership/members.ts'
import { sleep } from '../../shared/clock.ts'

/** The only cell of a cluster on this machine. */
export const CELL = 'main'
const AGAIN_MS = 100
const TRIES_MAX = 300
/** Longer than the second between two reports of a member. */
const LOOK_AGAIN_MS = 1500

export interface ShardView {
  owner: Owner | null
  members: readonly { id: string; report: MemberReport; revision: number }[]
}

/** Founds the shard unless it is founded; returns the founding that counts. */
export async function foundShard(
  store: AgreementStore,
  keys: ShardKeys,
  founding: Founding,
): Promise<Founding> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const [[found] = []] = await readShard(store, [{ from: keys.journal, until: null }])
    if (found !== undefined) {
      const known = readFounding(found.value)
      if (known === null) throw new Error('A newer version founded the shard.')
      return known
    }
    const outcome = await new Promise<{ outcome: string }>((done) =>
      store.transact(foundTransaction(keys, founding), done),
    )
    if (outcome.outcome === 'unknown') await sleep(AGAIN_MS)
  }
  throw new Error('etcd does not answer.')
}

/** Removes everything of the shard and founds it anew. No engine of it may run. */
export async function refoundShard(
  store: AgreementStore,
  keys: ShardKeys,
  founding: Founding,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const removed = await new Promise<{ outcome: string }>((done) =>
      store.transact(
        {
          compares: [],
          writes: [{ write: 'remove', from: keys.prefix, until: keys.end }],
          otherwise: [],
        },
        done,
      ),
    )
    if (removed.outcome === 'succeeded') return void (await foundShard(store, keys, founding))
    await sleep(AGAIN_MS)
  }
  throw new Error('etcd does not answer.')
}

/** The id of a member that reports now; null where none does. Takes one and a half seconds. */
export async function livingMember(store: AgreementStore, keys: ShardKeys): Promise<string | null> {
  const read = async (): Promise<readonly KeyValue[]> => {
    const [rows = []] = await readShard(store, [
      { from: keys.membersBegin, until: keys.membersEnd },
    ])
    return rows
  }
  const before = new Map((await read()).map(({ key, revision }) => [key, revision]))
  await sleep(LOOK_AGAIN_MS)
  const living = (await read()).find(({ key, revision }) => before.get(key) !== revision)
  return living?.key.slice(keys.membersBegin.length) ?? null
}

/** The owner and the reports of the members. */
export async function viewShard(store: AgreementStore, keys: ShardKeys): Promise<ShardView> {
  const [owners = [], rows = []] = await readShard(store, [
    { from: keys.owner, until: null },
    { from: keys.membersBegin, until: keys.membersEnd },
  ])
  const members = rows.flatMap(({ key, value, revision }) => {
    const report = parseReport(value)
    return report === null ? [] : [{ id: key.slice(keys.membersBegin.length), report, revision }]
  })
  return { owner: owners[0] === undefined ? null : readOwner(owners[0].value), members }
}

async function readShard(
  store: AgreementStore,
  reads: readonly Read[],
): Promise<readonly (readonly KeyValue[])[]> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const outcome = await new Promise<Parameters<Parameters<typeof store.range>[1]>[0]>((done) =>
      store.range(reads, done),
    )
    if (outcome.outcome === 'read') return outcome.reads
    await sleep(AGAIN_MS)
  }
  throw new Error('etcd does not answer.')
}
