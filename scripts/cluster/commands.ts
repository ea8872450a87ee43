// The commands of a running cluster: status, kill, pause, continue, lose, hand over, add, remove,
// promote, adopt.
import { shardKeys } from '../../engine/agreement/keys.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { MEMBER_PATHS } from '../../engine/member/link-paths.ts'
import { memberAuthorization } from '../../engine/member/member-token.ts'
import { Peers } from '../../engine/member/peer.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { parseMasterKeys } from '../../shared/keyring.ts'
import { FIRST_SHARD, shardNames } from '../../shared/shards.ts'
import { adoptShard } from './adopt.ts'
import type { ClusterCommand } from './command-socket.ts'
import type { Databases } from './databases.ts'
import {
  isName,
  keepLayout,
  type Layout,
  type MachineLayout,
  newMachine,
  shardsOf,
} from './layout.ts'
import type { Machine, ShardEngine } from './machine.ts'
import { CELL, viewShard } from './shard.ts'
import { statusText } from './status.ts'

const MACHINES_MIN = 3
const LOOK_MS = 100
const OWNED_MS_MAX = 120_000
/** Longest wait for the engines of a shard that were started again. */
const STARTED_MS_MAX = 30_000

export interface CommandsOptions {
  layout: Layout
  machines: readonly Machine[]
  store: AgreementStore
  newOne(at: MachineLayout): Machine
  databases: Databases
}

export class Commands {
  readonly #options: CommandsOptions
  readonly #peers: Peers
  #layout: Layout
  #machines: Machine[]

  constructor(options: CommandsOptions) {
    this.#options = options
    this.#layout = options.layout
    this.#machines = [...options.machines]
    const keys = parseMasterKeys(options.layout.masterKey, true)
    if (!keys.ok) throw new Error(keys.error)
    this.#peers = new Peers({
      clock: systemClock,
      tls: null,
      authorization: memberAuthorization(keys.value),
    })
  }

  /** The answer of a command; throws a sentence where it cannot be done. */
  async run({ command, name, shard, force }: ClusterCommand): Promise<string> {
    if (command === 'status') return this.#status()
    if (command === 'handover') return this.#handOver(name, shard ?? FIRST_SHARD)
    if (command === 'add') return this.#add(name ?? '')
    if (command === 'adopt') return this.#adopt(shard, force)
    if (command === 'promote') return this.#options.databases.promote(name, force)
    const machine = await this.#find(name ?? '', shard ?? FIRST_SHARD)
    if (command === 'remove') return this.#remove(machine, force)
    // An accident of a machine happens to all its engines; one of an owner to that engine.
    const one = name === 'owner' ? machine.engine(shard ?? FIRST_SHARD) : null
    const engines =
      one === null && shard === undefined ? machine.engines : [machine.engine(shard ?? FIRST_SHARD)]
    const done: string[] = []
    for (const engine of engines) done.push(await accident(command, engine, machine.at.name))
    return done.join('\n')
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#machines.map((machine) => machine.stop()))
  }

  /** Waits until a member owns each shard, or the signal aborts. */
  async untilOwned(signal?: AbortSignal): Promise<void> {
    const sinceNs = systemClock.monotonicNs()
    for (const shard of this.#shards)
      while (signal?.aborted !== true && (await this.#owner(shard)) === null) {
        if ((systemClock.monotonicNs() - sinceNs) / 1e6 > OWNED_MS_MAX)
          throw new Error('No engine became the owner of shard ' + shard + '; see the logs.')
        await sleep(LOOK_MS)
      }
  }

  get #shards(): readonly string[] {
    return shardNames(shardsOf(this.#layout))
  }

  async #status(): Promise<string> {
    const texts: string[] = []
    for (const shard of this.#shards) {
      const view = await viewShard(this.#options.store, shardKeys(CELL, shard))
      const engines = this.#machines.map((machine) => {
        return { name: machine.at.name, engine: machine.engine(shard) }
      })
      texts.push(await statusText(shard, engines, { peers: this.#peers, view }))
    }
    return [...texts, await this.#options.databases.status()].join('\n')
  }

  /** The machine whose engine says that it owns the shard. */
  async #owner(shard: string): Promise<Machine | null> {
    for (const machine of this.#machines) {
      const status = await this.#peers.status(machine.engine(shard).linkAddress)
      if (status?.role === 'owner') return machine
    }
    return null
  }

  async #find(name: string, shard: string): Promise<Machine> {
    const machine =
      name === 'owner'
        ? await this.#owner(shard)
        : (this.#machines.find(({ at }) => at.name === name) ?? null)
    if (machine === null)
      throw new Error(
        name === 'owner' ? 'No machine owns the shard now.' : 'No machine ' + name + '.',
      )
    return machine
  }

  async #handOver(name: string | undefined, shard: string): Promise<string> {
    const owner = await this.#find('owner', shard)
    const { linkAddress } = owner.engine(shard)
    let to = ''
    if (name !== undefined) {
      const next = (await this.#find(name, shard)).engine(shard)
      const status = await this.#peers.status(next.linkAddress)
      if (status === null) throw new Error('The engine of ' + name + ' does not answer.')
      to = '?to=' + status.member_id
    }
    const before = await this.#epoch(shard)
    const path = MEMBER_PATHS.handOver + to
    const reply = await this.#peers.call(linkAddress, { method: 'POST', path })
    if (reply !== null && reply.status !== 200) {
      const { error } = JSON.parse(reply.body.toString()) as { error: string }
      throw new Error(error)
    }
    if (reply === null && (await this.#epoch(shard)) === before)
      throw new Error(owner.at.name + ' did not answer in time and still owns the shard.')
    await this.untilOwned()
    const next = await this.#owner(shard)
    return owner.at.name + ' handed over; the owner is ' + (next?.at.name ?? 'not known yet') + '.'
  }

  /** After the loss of etcd: each shard, or the one named, goes on from its longest journal. */
  async #adopt(only: string | undefined, force: boolean): Promise<string> {
    const texts: string[] = []
    for (const shard of only === undefined ? this.#shards : [only]) {
      const members = this.#machines.map((machine) => {
        return { name: machine.at.name, engine: machine.engine(shard) }
      })
      try {
        for (const { engine } of members) await engine.stop()
        const directories = members.map(({ name, engine: { journalDir } }) => {
          return { name, journalDir }
        })
        const { store, databases } = this.#options
        const database = { databaseUrl: databases.url, force }
        const adoption = { shard, directories, database }
        const adopted = await adoptShard(store, shardKeys(CELL, shard), adoption)
        if (!adopted.ok) throw new Error(adopted.error)
        texts.push(adopted.value)
      } finally {
        await startAll(members.map(({ engine }) => engine))
      }
    }
    await this.untilOwned()
    return texts.join('\n')
  }

  async #epoch(shard: string): Promise<number> {
    return (await viewShard(this.#options.store, shardKeys(CELL, shard))).owner?.epoch ?? 0
  }

  async #add(name: string): Promise<string> {
    if (!isName(name)) throw new Error('A machine is named by one letter.')
    if (this.#machines.some(({ at }) => at.name === name))
      throw new Error('Machine ' + name + ' is there already.')
    const at = await newMachine(name, shardsOf(this.#layout))
    const machine = this.#options.newOne(at)
    this.#machines.push(machine)
    this.#keep([...this.#layout.machines, at])
    await machine.start()
    return 'Machine ' + name + ' follows; status says when it may take over.'
  }

  async #remove(machine: Machine, force: boolean): Promise<string> {
    const { name } = machine.at
    if (this.#machines.length <= MACHINES_MIN && !force)
      throw new Error('Fewer than three machines survive no loss: add one first, or use --force.')
    this.#machines = this.#machines.filter((other) => other !== machine)
    this.#keep(this.#layout.machines.filter((at) => at.name !== name))
    await machine.stop()
    return 'Machine ' + name + ' is stopped; its directory stays.'
  }

  /** Another server of PostgreSQL is the primary, also at the next start. */
  keepPrimary(primary: string): void {
    this.#layout = { ...this.#layout, primary }
    keepLayout(this.#layout)
  }

  #keep(machines: readonly MachineLayout[]): void {
    this.#layout = { ...this.#layout, machines }
    keepLayout(this.#layout)
  }
}

/**
 * Starts engines again and waits until they are ready, not for long: without a founded shard none
 * becomes ready, and it is started again until one is.
 */
async function startAll(engines: readonly ShardEngine[]): Promise<void> {
  const started = Promise.allSettled(engines.map((engine) => engine.start()))
  await Promise.race([started, sleep(STARTED_MS_MAX)])
}

async function accident(command: string, engine: ShardEngine, machine: string): Promise<string> {
  const which =
    engine.shard === FIRST_SHARD ? 'The engine of ' : 'The engine of ' + engine.shard + ' of '
  if (command === 'lose') {
    await engine.loseDisk()
    return which + machine + ' lost its journal and is another member now.'
  }
  const signal = SIGNALS[command]
  if (signal === undefined) throw new Error('No such command: ' + command)
  if (!engine.signal(signal.name)) throw new Error(which + machine + ' does not run.')
  return which + machine + signal.done
}

const SIGNALS: { readonly [command: string]: { name: NodeJS.Signals; done: string } } = {
  kill: { name: 'SIGKILL', done: ' was killed; it starts again.' },
  pause: { name: 'SIGSTOP', done: ' stands still.' },
  continue: { name: 'SIGCONT', done: ' goes on.' },
}
