// The listeners of the engine as a network crowds them: HTTP over hundreds of connections, ISO 8583
// over one link.
import { IsoLink, isoFrame } from '../../scripts/simulate/iso-link.ts'
import { isoRequest } from '../../scripts/simulate/iso-request.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import type { SandboxCard } from '../../scripts/start/sandbox-secrets.ts'
import { systemClock } from '../../shared/clock.ts'
import type { CrowdedListener } from './crowd.ts'
import { authorization } from './load.ts'
import type { Stack } from './stack.ts'

const CARDS = 32
/**
 * The engine answers this many milliseconds of messages at once, so that none spends its budget in
 * the queue.
 */
const UNDER_WAY_MS = 700
const CONNECTIONS = 900
const STANS = 1_000_000
const UNAVAILABLE = '91'

/** Opens a connection for each open message. */
export async function crowdedHttp(stack: Stack): Promise<CrowdedListener> {
  const { engineUrl, secrets } = stack
  const sandbox = { engine_url: engineUrl, network: secrets.network }
  const lines = openNetwork(sandbox, systemClock, CONNECTIONS)
  await lines.warm()
  return {
    async send(number) {
      const { answer, exchange, tookMs } = await lines.send(authorization(cardOf(stack, number), 1))
      if (answer !== null) return { as: 'answer', tookMs }
      const problem = exchange.kind === 'broken' ? exchange.problem : 'HTTP ' + exchange.status
      return { as: problem === 'HTTP 503' ? 'refusal' : { problem }, tookMs }
    },
    underWayMax: (perS) => Math.min(CONNECTIONS, answeredMeanwhile(perS)),
    close: () => lines.close(),
  }
}

/** Opens one link for all messages, at this port. */
export async function crowdedLink(stack: Stack, port: number): Promise<CrowdedListener> {
  const link = new IsoLink({ host: '127.0.0.1', port })
  if (!(await link.signOn())) throw new Error('the link is not signed on')
  let sent = 0
  return {
    send(number) {
      const stan = String(1 + (sent++ % (STANS - 1))).padStart(6, '0')
      const message = authorization(cardOf(stack, number), 1)
      const request = isoRequest(message, { stan, acquirer: '99999900001', terminal: 'CROWDED1' })
      if (request === null) throw new Error('an authorization has a form in ISO 8583')
      const sentNs = systemClock.monotonicNs()
      return new Promise((resolve) =>
        link.send(isoFrame(request), stan, (came) => {
          const tookMs = (systemClock.monotonicNs() - sentNs) / 1e6
          if (came.kind === 'broken') resolve({ as: came, tookMs })
          else if (came.message.fields[39] === UNAVAILABLE) resolve({ as: 'refusal', tookMs })
          else resolve({ as: 'answer', tookMs })
        }),
      )
    },
    // The link writes without end; the engine has to bound it.
    underWayMax: () => Number.POSITIVE_INFINITY,
    close: () => link.close(),
  }
}

function answeredMeanwhile(perS: number): number {
  return Math.ceil(perS * (UNDER_WAY_MS / 1000))
}

function cardOf(stack: Stack, number: number): SandboxCard {
  return stack.card('load_plain_' + (1 + (number % CARDS)))
}
