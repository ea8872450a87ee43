// The sandbox's holder as an outside party: a telephone, and the bank that mints and blocks tokens
// on the chain of the sandbox.
import { join } from 'node:path'
import type { Static, TSchema } from 'typebox'
import { systemClock } from '../../shared/clock.ts'
import type { Logger } from '../../shared/log.ts'
import { Type } from '../../shared/schema-builders.ts'
import { hasShape } from '../../shared/shape.ts'
import { openBank } from '../chain-peer/bank.ts'
import { CHAIN_DIRECTORY } from '../chain-peer/config.ts'
import type { ConfiguredParty, Party } from '../outside-parties/party.ts'
import {
  type PeerAnswer,
  type PeerRequest,
  type PeerServer,
  startPeerServer,
} from '../peer-http.ts'
import { readHolderPeerConfig } from './config.ts'
import { openPhone } from './phone.ts'

const HELP = `holder: holders of payment accounts and the bank of the token, at SVC_HOLDER_URL. POST /enrolments {url} creates a
passkey on a page, POST /answers {credential_id, answer} says how the next payment or withdrawal is answered, POST
/messages {url} hands over its link, POST /tokens {address, cents} mints, POST /blocks {address, blocked} blocks an address.
`
/** Below the data directory. */
const PHONE_FILE = 'holder-phone.json'

const Url = Type.String({ pattern: '^https?://', maxLength: 2000 })
const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Enrolment = Type.Object({ url: Url })
const Answer = Type.Object({
  credential_id: Type.String(),
  answer: Type.Union([Type.Literal('approve'), Type.Literal('deny')]),
})
const Tokens = Type.Object({ address: Address, cents: Type.Integer({ minimum: 1 }) })
const Block = Type.Object({ address: Address, blocked: Type.Boolean() })

export const holderParty: Party = {
  help: HELP,
  configure() {
    const config = readHolderPeerConfig()
    if (!config.ok) return config
    const { value } = config
    const start: ConfiguredParty['start'] = (log) => startHolder({ ...value, log })
    return { ok: true, value: { port: value.port, start } }
  },
}

/** Listens until it is closed, or the process ends. Port 0: any free one. */
export async function startHolder({
  dataDir,
  port,
  log,
}: {
  dataDir: string
  port: number
  log: Logger
}): Promise<PeerServer> {
  const phone = openPhone(join(dataDir, PHONE_FILE))
  const bank = openBank(join(dataDir, CHAIN_DIRECTORY), systemClock)
  const calls: { readonly [path: string]: (body: unknown) => Promise<number> } = {
    '/enrolments': taking(Enrolment, async ({ url }) => ((await phone.enrol(url)) ? 204 : 409)),
    '/answers': taking(Answer, async ({ credential_id: id, answer }) =>
      phone.answerNext(id, answer) ? 204 : 404,
    ),
    '/messages': taking(Enrolment, async ({ url }) => {
      await phone.receive(url)
      return 204
    }),
    '/tokens': taking(Tokens, async ({ address, cents }) => {
      await bank.mint(address as `0x${string}`, cents)
      return 204
    }),
    '/blocks': taking(Block, async ({ address, blocked }) => {
      await bank.setBlocked(address as `0x${string}`, blocked)
      return 204
    }),
  }
  const answer = async ({ method, url, body }: PeerRequest): Promise<PeerAnswer> => {
    const call = method === 'POST' ? calls[url] : undefined
    if (call === undefined) return { status: 404, body: {} }
    try {
      return { status: await call(parsed(body)), body: {} }
    } catch (error) {
      log.warn({ err: error, url }, 'the holder could not do that')
      return { status: 502, body: {} }
    }
  }
  const server = await startPeerServer(port, answer)
  return {
    url: server.url,
    async close() {
      await server.close()
      await bank.close()
    },
  }
}

function taking<Schema extends TSchema>(
  schema: Schema,
  run: (body: Static<Schema>) => Promise<number>,
): (body: unknown) => Promise<number> {
  return async (body) => (hasShape(schema, body) ? run(body) : 400)
}

function parsed(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '')
  } catch {
    return null
  }
}
