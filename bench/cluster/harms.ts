// The harm that is done to a shard under load while the pause at its front door is measured.
import type { EngineTestbed } from '../line/engine.ts'

export const HARMS = [
  'owner_killed',
  'owner_paused',
  'leader_killed',
  'machine_lost',
  'handed_over',
] as const
export type Harm = (typeof HARMS)[number]

/** Each harm in words, and the longest pause it may cause, in milliseconds. */
export const HARM_BOUNDS: { readonly [harm in Harm]: { name: string; gapMsMax: number } } = {
  owner_killed: { name: 'owner killed', gapMsMax: 250 },
  owner_paused: { name: 'owner paused', gapMsMax: 1200 },
  leader_killed: { name: 'leader of etcd killed', gapMsMax: 1200 },
  machine_lost: { name: 'owner and leader of etcd killed', gapMsMax: 1200 },
  handed_over: { name: 'handed over', gapMsMax: 200 },
}

/** The shard as harm reaches it. */
export interface Harmed {
  owner(): Promise<EngineTestbed>
  /** The node of etcd that leads. */
  leader(): Promise<{ kill(signal: 'SIGKILL'): void; start(): void }>
  handOver(owner: EngineTestbed): Promise<void>
  /**
   * Starts each member that ended, as a supervisor does, and waits until every one may take over
   * again.
   */
  whole(): Promise<void>
  /** Waits until the process of a member has ended, if it does. */
  ended(member: EngineTestbed): Promise<void>
}

/** Does the harm; the function it resolves with mends it. */
export async function inflict(harm: Harm, shard: Harmed): Promise<() => Promise<void>> {
  const owner = await shard.owner()
  const node = harm === 'leader_killed' || harm === 'machine_lost' ? await shard.leader() : null
  if (harm === 'owner_killed' || harm === 'machine_lost') process.kill(owner.engine.pid, 'SIGKILL')
  if (harm === 'owner_paused') process.kill(owner.engine.pid, 'SIGSTOP')
  if (harm === 'handed_over') await shard.handOver(owner)
  node?.kill('SIGKILL')
  return async () => {
    node?.start()
    if (harm === 'owner_paused') process.kill(owner.engine.pid, 'SIGCONT')
    // An owner that could not commit while etcd elected may have lost the shard, and leaves too.
    if (harm !== 'leader_killed') await shard.ended(owner)
    await shard.whole()
  }
}
