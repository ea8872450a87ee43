// A telephone with Apple's wallet, as far as the service sees one: it takes a pass, registers with
// the web service that the pass names, asks for changed passes, fetches them, and unregisters. It
// knows nothing but the contents of the pass.
import { randomBytes } from 'node:crypto'
import { PAGE_PATIENCE, repeatBusy } from '../../repeat-busy.ts'
import { type PassSaid, readPass } from './archive.ts'

const CALL_MS_MAX = 15_000

interface Held {
  said: PassSaid
  /** The value from the latest answer. */
  lastModified: string | null
  archive: Buffer
}

export interface DeviceOptions {
  pushToken: string
  /**
   * The address of the web service, in place of the one in the passes; null: the one in the passes.
   */
  serviceUrl: string | null
}

export interface Answered {
  status: number
  headers: Headers
  bytes: Buffer
}

export class Device {
  /** The name by which the web service knows it. */
  readonly id = randomBytes(16).toString('hex')
  readonly #options: DeviceOptions
  readonly #passes = new Map<string, Held>()
  #tag: string | null = null

  constructor(options: DeviceOptions) {
    this.#options = options
  }

  /** The pass as the device has it now. */
  pass(serial: string): PassSaid | undefined {
    return this.#passes.get(serial)?.said
  }

  /** The file of the pass as the device has it now. */
  archive(serial: string): Buffer | undefined {
    return this.#passes.get(serial)?.archive
  }

  /**
   * The holder adds a pass. Returns the status of the web service: 201 if the device is new to it.
   */
  async install(archive: Buffer): Promise<number> {
    const said = readPass(archive)
    this.#passes.set(said.serialNumber, { said, lastModified: null, archive })
    const answer = await this.#call(said, 'POST', this.#registration(said), {
      body: JSON.stringify({ pushToken: this.#options.pushToken }),
    })
    return answer.status
  }

  /** Reacts to a push as a device does. Returns the serial numbers of the changed passes. */
  async update(): Promise<string[]> {
    const [first] = this.#passes.values()
    if (first === undefined) return []
    const since = this.#tag === null ? '' : '?passesUpdatedSince=' + encodeURIComponent(this.#tag)
    const { passTypeIdentifier: type } = first.said
    const path = '/v1/devices/' + this.id + '/registrations/' + type + since
    const listed = await this.#call(null, 'GET', path, { service: first.said.webServiceURL })
    if (listed.status === 204) return []
    if (listed.status !== 200) throw new Error('asked for changes, was answered ' + listed.status)
    const { serialNumbers, lastUpdated } = JSON.parse(String(listed.bytes)) as {
      serialNumbers: string[]
      lastUpdated: string
    }
    this.#tag = lastUpdated
    const changed: string[] = []
    for (const serial of serialNumbers) if (await this.#fetch(serial)) changed.push(serial)
    return changed
  }

  /** The holder deletes the pass. */
  async remove(serial: string): Promise<number> {
    const held = this.#passes.get(serial)
    if (held === undefined) throw new Error('it has no such pass')
    this.#passes.delete(serial)
    return (await this.#call(held.said, 'DELETE', this.#registration(held.said))).status
  }

  /** True where it had another one. */
  async #fetch(serial: string): Promise<boolean> {
    const held = this.#passes.get(serial)
    if (held === undefined) return false
    const path = '/v1/passes/' + held.said.passTypeIdentifier + '/' + serial
    const since = held.lastModified
    const headers = since === null ? {} : { 'if-modified-since': since }
    const { status, headers: told, bytes } = await this.#call(held.said, 'GET', path, { headers })
    if (status === 304) return false
    if (status !== 200) throw new Error('asked for a pass, was answered ' + status)
    const lastModified = told.get('last-modified')
    this.#passes.set(serial, { said: readPass(bytes), lastModified, archive: bytes })
    return true
  }

  #registration(said: PassSaid): string {
    const { passTypeIdentifier: type, serialNumber } = said
    return '/v1/devices/' + this.id + '/registrations/' + type + '/' + serialNumber
  }

  /** `said`: the pass whose token is sent; null: none. */
  async #call(
    said: PassSaid | null,
    method: string,
    path: string,
    more: { body?: string; headers?: { [name: string]: string }; service?: string } = {},
  ): Promise<Answered> {
    const { body, headers, service = said?.webServiceURL ?? '' } = more
    const send = () =>
      fetch((this.#options.serviceUrl ?? service) + path, {
        method,
        headers: {
          ...(said !== null && { authorization: 'ApplePass ' + said.authenticationToken }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(CALL_MS_MAX),
      })
    const response = await repeatBusy(send, PAGE_PATIENCE)
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, headers: response.headers, bytes }
  }
}
