// The commands of a running cluster: status, kill, pause, continue, lose, hand over, add, remove.
import type { ShardKeys } from '../../engine/agreement/keys.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { MEMBER_PATHS } from '../../engine/member/link-paths.ts'
import { memberAuthorization } from '../../engine/member/member-token.ts'
import { Peers } from '../../engine/member/peer.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { parseMasterKeys } from '../../shared/keyring.ts'
import type { ClusterCommand } from './command-socket.ts'
import { isName, keepLayout, type Layout, type MachineLayout, newMachine } from './layout.ts'
import type { Machine } from './machine.ts'
import { viewShard } from './shard.ts'
import { statusText } from './status.ts'

const MACHINES_MIN = 3
const LOOK_MS = 100
const OWNED_MS_MAX = 120_000

export interface CommandsOptions {
  layout: Layout
  machines: readonly Machine[]
  store: AgreementStore
  keys: ShardKeys
  newOne(at: MachineLayout): Machine
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
  async run({ command, name, force }: ClusterCommand): Promise<string> {
    if (command === 'status') return statusText(this.#machines, this.#peers, await this.#view())
    if (command === 'handover') return this.#handOver(name)
    if (command === 'add') return this.#add(name ?? '')
    const machine = await this.#find(name ?? '')
    const engine = 'The engine of ' + machine.at.name
    if (command === 'remove') return this.#remove(machine, force)
    if (command === 'lose') {
      await machine.loseDisk()
      return engine + ' lost its journal and is another member now.'
    }
    const signal = SIGNALS[command]
    if (signal === undefined) throw new Error('No such command: ' + command)
    if (!machine.signal(signal.name)) throw new Error(engine + ' does not run.')
    return engine + signal.done
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.#machines.map((machine) => machine.stop()))
  }

  /** Waits until a member owns the shard, or the signal aborts. */
  async untilOwned(signal?: AbortSignal): Promise<void> {
    const sinceNs = systemClock.monotonicNs()
    while (signal?.aborted !== true && (await this.#owner()) === null) {
      if ((systemClock.monotonicNs() - sinceNs) / 1e6 > OWNED_MS_MAX)
        throw new Error('No engine became the owner of the shard; see the logs.')
      await sleep(LOOK_MS)
    }
  }

  #view(): ReturnType<typeof viewShard> {
    return viewShard(this.#options.store, this.#options.keys)
  }

  /** The machine whose engine says that it owns the shard. */
  async #owner(): Promise<Machine | null> {
    for (const machine of this.#machines) {
      const status = await this.#peers.status(machine.linkAddress)
      if (status?.role === 'owner') return machine
    }
    return null
  }

  async #find(name: string): Promise<Machine> {
    const machine =
      name === 'owner'
        ? await this.#owner()
        : (this.#machines.find(({ at }) => at.name === name) ?? null)
    if (machine === null)
      throw new Error(
        name === 'owner' ? 'No machine owns the shard now.' : 'No machine ' + name + '.',
      )
    return machine
  }

  async #handOver(name: string | undefined): Promise<string> {
    const owner = await this.#find('owner')
    let to = ''
    if (name !== undefined) {
      const status = await this.#peers.status((await this.#find(name)).linkAddress)
      if (status === null) throw new Error('The engine of ' + name + ' does not answer.')
      to = '?to=' + status.member_id
    }
    const path = MEMBER_PATHS.handOver + to
    const reply = await this.#peers.call(owner.linkAddress, { method: 'POST', path })
    if (reply !== null && reply.status !== 200) {
      const { error } = JSON.parse(reply.body.toString()) as { error: string }
      throw new Error(error)
    }
    await this.untilOwned()
    const next = await this.#owner()
    return owner.at.name + ' handed over; the owner is ' + (next?.at.name ?? 'not known yet') + '.'
  }

  async #add(name: string): Promise<string> {
    if (!isName(name)) throw new Error('A machine is named by one letter.')
    if (this.#machines.some(({ at }) => at.name === name))
      throw new Error('Machine ' + name + ' is there already.')
    const at = await newMachine(name)
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

  #keep(machines: readonly MachineLayout[]): void {
    this.#layout = { ...this.#layout, machines }
    keepLayout(this.#layout)
  }
}

const SIGNALS: { readonly [command: string]: { name: NodeJS.Signals; done: string } } = {
  kill: { name: 'SIGKILL', done: ' was killed; it starts again.' },
  pause: { name: 'SIGSTOP', done: ' stands still.' },
  continue: { name: 'SIGCONT', done: ' goes on.' },
}
