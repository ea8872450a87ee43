// Asks Redis: one call of a script per message, in turns over several connections. The calls of one
// turn of the event loop leave together on each connection, and Redis syncs them together.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createClient } from '@redis/client'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { Outcome } from './outcome.ts'

const SCRIPT = readFileSync(new URL('authorize.lua', import.meta.url), 'utf8')
const HASH = createHash('sha1').update(SCRIPT).digest('hex')
/** As long as the engine remembers an answer. */
const KEPT_S = '172800'

/** Decides on a Redis that listens at `path`. */
export async function openRedisLine(
  path: string,
  connections: number,
): Promise<(authorization: AuthorizationRequest) => Promise<Outcome>> {
  const clients = await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = createClient({ socket: { path, tls: false } })
      client.on('error', (error) => process.stderr.write(String(error) + '\n'))
      await client.connect()
      return client
    }),
  )
  await clients[0]?.scriptLoad(SCRIPT)
  let turn = 0
  return async (authorization) => {
    const client = clients[turn++ % connections] as (typeof clients)[number]
    return outcomeIn(String(await client.evalSha(HASH, commandOf(authorization))))
  }
}

function commandOf(q: AuthorizationRequest): { keys: string[]; arguments: string[] } {
  return {
    keys: [
      q.token === null ? 'pan:' + q.fingerprint : 'token:' + q.token,
      'decision:' + q.messageId,
    ],
    arguments: [
      q.content,
      String(q.amountCents),
      q.mcc,
      q.country,
      String(q.day),
      String(q.week),
      q.expMonth === null ? '' : String(q.expMonth),
      q.expYear === null ? '' : String(q.expYear),
      q.cvcVerifier ?? '',
      q.currency,
      q.transactionId,
      q.authorizationCode,
      JSON.stringify([q.merchantId, q.mcc, q.networkTransactionId, q.receivedAtMs]),
      KEPT_S,
    ],
  }
}

function outcomeIn(decision: string): Outcome {
  const [content = '', transactionId = '', reason = '', code = ''] = decision.split('\n', 4)
  return {
    content,
    transactionId,
    reason: reason === '' ? null : reason,
    authorizationCode: code === '' ? null : code,
  }
}
