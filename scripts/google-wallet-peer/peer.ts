// Google's wallet in the sandbox: the token endpoint, the wallet API for generic classes and
// objects, the page behind save links, the keys that sign callbacks, and holders who save and
// delete. It is an outside party that knows the service only through these protocols. Its state
// lives in memory.
import type { Clock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import {
  type PeerAnswer,
  type PeerRequest,
  type PeerServer,
  startPeerServer,
} from '../peer-http.ts'
import { Access, type PeerAccount } from './access.ts'
import { CallbackSigner } from './callback-signer.ts'
import { Holders, type Told } from './holders.ts'
import { isObject, type Kind, picturesOf, problem, type Resource, resourceIn } from './resources.ts'

const API_PATH = /^\/walletobjects\/v1\/(genericClass|genericObject)(?:\/([\w.-]{1,250}))?$/
const SAVE_PATH = /^\/gp\/v\/save\/([\w.-]+)$/
const HOLDER_PATH = /^\/holders\/([\w-]{1,64})\/([\w.-]{1,250})$/
const KEYS_PATH = '/gp/m/issuer/keys'
const PICTURE_MS_MAX = 15_000
const SOMEBODY = 'somebody'

export interface GooglePeerOptions {
  /** 0: any free port. */
  port: number
  account: PeerAccount
  issuerId: string
  clock: Clock
  log: Logger
  /**
   * Address of the service from here, in place of its own callback addresses; null: the service's
   * own.
   */
  serviceUrl: string | null
  /** Factor for pauses between callbacks; default 1, less in tests. */
  pace?: number
}

/** A call of the wallet API and its answer. */
export interface SeenCall {
  method: string
  kind: Kind
  id: string
  status: number
}

export interface GooglePeer extends PeerServer {
  readonly access: Access
  readonly signer: CallbackSigner
  readonly holders: Holders
  /** Classes and objects by id. */
  readonly resources: ReadonlyMap<string, Resource>
  /** Calls in their order. */
  readonly calls: SeenCall[]
  /** Answers that the next calls of the wallet API get instead of their own. */
  readonly troubles: PeerAnswer[]
}

/** Listens on loopback; rejects if the port is taken. */
export async function startGooglePeer(options: GooglePeerOptions): Promise<GooglePeer> {
  const { account, issuerId, clock, log, pace = 1 } = options
  const signer = new CallbackSigner(clock)
  const parts: Parts = {
    options,
    access: new Access(account, clock),
    signer,
    holders: new Holders({ signer, issuerId, clock, log, pace }),
    resources: new Map(),
    calls: [],
    troubles: [],
  }
  const server = await startPeerServer(options.port, (request) =>
    answer(parts, server.url, request),
  )
  return { ...parts, ...server }
}

interface Parts extends Omit<GooglePeer, 'resources' | 'url' | 'close'> {
  options: GooglePeerOptions
  resources: Map<string, Resource>
}

async function answer(parts: Parts, ownUrl: string, request: PeerRequest): Promise<PeerAnswer> {
  const { method, url, headers, body } = request
  const { pathname, searchParams } = new URL(url, ownUrl)
  if (pathname === '/token' && method === 'POST')
    return parts.access.grant(String(body), ownUrl + '/token')
  const [, kind, id] = API_PATH.exec(pathname) ?? []
  if (kind !== undefined) {
    if (!parts.access.admits(headers.authorization))
      return problem(401, 'authError', 'Invalid Credentials')
    return counted(parts, request, { kind: kind as Kind, id: id ?? null })
  }
  if (pathname === KEYS_PATH) {
    if (method === 'POST') parts.signer.rotate()
    return { status: 200, body: parts.signer.published() }
  }
  const link = SAVE_PATH.exec(pathname)?.[1]
  if (link !== undefined)
    return saved(parts, { method, link, holder: searchParams.get('holder') ?? SOMEBODY })
  const [, holder, objectId] = HOLDER_PATH.exec(pathname) ?? []
  if (holder !== undefined && objectId !== undefined)
    return ofHolder(parts, method, { holder, objectId })
  return { status: 404, body: { error: 'no_such_path' } }
}

interface Named {
  kind: Kind
  id: string | null
}

async function counted(parts: Parts, request: PeerRequest, named: Named): Promise<PeerAnswer> {
  const given = parts.troubles.shift() ?? (await answerApi(parts, request, named))
  const id = named.id ?? String((given.body as { id?: unknown }).id ?? '')
  parts.calls.push({ method: request.method, kind: named.kind, id, status: given.status })
  return given
}

async function answerApi(
  parts: Parts,
  { method, body }: PeerRequest,
  { kind, id }: Named,
): Promise<PeerAnswer> {
  const { resources, options, holders } = parts
  const known = id === null ? undefined : resources.get(id)
  if (id !== null && known === undefined)
    return problem(404, 'resourceNotFound', 'The resource was not found.')
  if (method === 'GET' && known !== undefined) {
    const hasUsers = kind === 'genericObject' && holders.hasUsers(known.id)
    return { status: 200, body: hasUsers ? { ...known, hasUsers } : known }
  }
  if (method !== (id === null ? 'POST' : 'PUT')) return problem(405, 'httpMethod', 'Not allowed.')
  const given = resourceIn(kind, options.issuerId, body)
  if (!isResource(given)) return given
  if (id !== null && given.id !== id) return problem(400, 'badRequest', 'The ids differ.')
  if (id === null && resources.has(given.id))
    return problem(409, 'existingResource', 'The resource exists already.')
  const refusal = kind === 'genericObject' ? await objectProblem(parts, given) : null
  if (refusal !== null) return refusal
  resources.set(given.id, given)
  return { status: 200, body: given }
}

function isResource(given: Resource | PeerAnswer): given is Resource {
  return 'id' in given
}

async function objectProblem(
  { resources, options }: Parts,
  object: Resource,
): Promise<PeerAnswer | null> {
  if (!resources.has(String(object['classId'])))
    return problem(404, 'classNotFound', 'The class was not found.')
  for (const address of picturesOf(object))
    if (!(await isPicture(reached(options, address))))
      return problem(400, 'invalidImage', 'An image cannot be loaded: ' + address)
  return null
}

function reached({ serviceUrl }: GooglePeerOptions, address: string): string {
  if (serviceUrl === null) return address
  const { pathname, search } = new URL(address)
  return serviceUrl + pathname + search
}

async function isPicture(address: string): Promise<boolean> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(PICTURE_MS_MAX) })
    const type = response.headers.get('content-type') ?? ''
    return (await response.arrayBuffer()).byteLength > 0 && response.ok && /^image\//.test(type)
  } catch {
    return false
  }
}

/** GET: the page with the button; POST: the button. */
async function saved(
  parts: Parts,
  { method, link, holder }: { method: string; link: string; holder: string },
): Promise<PeerAnswer> {
  const ids = await parts.access.objectsIn(link)
  if (typeof ids === 'string') return { status: 400, body: page(ids) }
  const objects = ids.map((id) => parts.resources.get(id))
  if (objects.some((object) => object === undefined))
    return { status: 404, body: page('There is no such pass.') }
  if (method !== 'POST')
    return { status: 200, body: page('<form method="post"><button>Add to Wallet</button></form>') }
  for (const id of ids) parts.holders.save(holder, toldOf(parts, id))
  return { status: 200, body: { saved: ids } }
}

/** The page contains only our own text. */
function page(content: string): string {
  return '<!doctype html><html lang="en"><title>Sandbox wallet</title><body>' + content
}

function ofHolder(
  parts: Parts,
  method: string,
  { holder, objectId }: { holder: string; objectId: string },
): PeerAnswer {
  const object = parts.resources.get(objectId)
  if (object === undefined || !parts.holders.has(holder, objectId))
    return { status: 404, body: { error: 'no_such_pass' } }
  if (method === 'DELETE') parts.holders.delete(holder, toldOf(parts, objectId))
  return { status: 200, body: object }
}

function toldOf({ resources, options }: Parts, objectId: string): Told {
  const classId = String(resources.get(objectId)?.['classId'])
  const callback = resources.get(classId)?.['callbackOptions']
  const callbackUrl = isObject(callback) ? reached(options, String(callback['url'])) : null
  return { classId, objectId, callbackUrl }
}
