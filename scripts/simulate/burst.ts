// A short burst of every kind of answer through the real network port, on cards of its own, for the
// table of `npm start`. The sandbox's demo tenant answers by the last digits of the amount: 51 and
// 59 decline, 99 is silence.
import { type Clock, sleep, systemClock } from '../../shared/clock.ts'
import { byPan, type MessageChange, type NetworkCard, newMessage } from './message.ts'
import { type Answered, describeExchange, openNetwork } from './network.ts'
import { type OutcomeRow, openTally, outcomeOf } from './outcome.ts'
import { cardFor, cardsOf, type Sandbox, type SandboxSecrets, type SecretCard } from './sandbox.ts'

const CONNECTIONS = 16
/** The burst lasts about as long as its silent tenant: 1.5 s. */
const PACE_MS = 15
const US_PER_MS = 1000

interface Shot {
  card: SecretCard
  by?: NetworkCard
  change?: MessageChange
  /** The outcome this message must have. */
  expect: string
}

export type { OutcomeRow } from './outcome.ts'
export { renderTable } from './table.ts'

/**
 * Sends about sixty messages in a second and a half. One row per outcome, with its count and its
 * latencies; a row is marked unexpected if an answer differs from the expected one. Never throws
 * for an answer of the service.
 */
export async function runBurst(
  sandbox: Pick<Sandbox, 'engine_url' | 'network'>,
  secrets: SandboxSecrets,
  clock: Clock = systemClock,
): Promise<OutcomeRow[]> {
  const tally = openTally()
  const network = openNetwork(sandbox, clock, CONNECTIONS)
  const answers: Promise<void>[] = []
  try {
    await network.warm()
    for (const shot of burstShots(secrets)) {
      const { card, by, change } = shot
      const context = { now: clock.nowMs(), currency: card.currency }
      const message = newMessage(by ?? { token: card.token }, context, change)
      answers.push(
        network.send(message).then((answered) => {
          const outcome = outcomeOfAnswered(answered)
          tally.add({
            outcome,
            unexpected: outcome !== shot.expect,
            latencyUs: answered.tookMs * US_PER_MS,
          })
        }),
      )
      await sleep(PACE_MS)
    }
    await Promise.all(answers)
  } finally {
    network.close()
  }
  return tally.rows()
}

function outcomeOfAnswered({ answer, exchange }: Answered): string {
  return answer === null ? 'no decision: ' + describeExchange(exchange) : outcomeOf(answer)
}

/** The silent ones first, so that everything else is answered while they wait. */
function burstShots(secrets: SandboxSecrets): Shot[] {
  const plain = cardsOf(secrets, 'burst_plain')
  const realtime = cardsOf(secrets, 'burst_realtime')
  const shots: Shot[] = [1099, 2599].map((cents, index) => ({
    card: nth(realtime, index),
    change: { amount_cents: cents },
    expect: 'tenant silent → stand-in approved',
  }))
  for (let index = 0; index < 24; index++) {
    const card = nth(plain, index)
    shots.push({
      card,
      ...(index % 3 === 0 ? { by: byPan(card) } : {}),
      change: { amount_cents: 500 + index * 100 },
      expect: 'approved',
    })
  }
  for (let index = 0; index < 16; index++) {
    shots.push({
      card: nth(realtime, index),
      change: { amount_cents: 700 + index * 100 },
      expect: 'approved, tenant said yes',
    })
  }
  for (let index = 0; index < 4; index++) {
    const fraud = index % 2 === 1
    shots.push({
      card: nth(realtime, index),
      change: { amount_cents: fraud ? 1259 : 1151 },
      // The network never learns of a suspicion of fraud.
      expect: 'tenant said no: ' + (fraud ? 'do_not_honor' : 'insufficient_funds'),
    })
  }
  return [...shots, ...declinedShots(secrets, nth(plain, 0))]
}

function declinedShots(secrets: SandboxSecrets, plain: SecretCard): Shot[] {
  const wrongCvc = plain.cvc === '000' ? '001' : '000'
  const shots: readonly Shot[] = [
    { card: cardFor(secrets, 'suspended'), expect: 'card_suspended' },
    { card: cardFor(secrets, 'not_activated'), expect: 'card_not_activated' },
    { card: cardFor(secrets, 'expired'), expect: 'card_expired' },
    { card: cardFor(secrets, 'cardholder_frozen'), expect: 'cardholder_inactive' },
    {
      card: cardFor(secrets, 'blocked_mcc'),
      change: { merchant: { mcc: '7995', name: 'Lucky Casino' } },
      expect: 'merchant_category_blocked',
    },
    { card: plain, by: { ...byPan(plain), cvc: wrongCvc }, expect: 'cvc_mismatch' },
    { card: plain, change: { currency: 'CHF' }, expect: 'fx_rate_unavailable' },
  ]
  return [...shots, ...shots].map((shot) => ({ ...shot, expect: 'declined: ' + shot.expect }))
}

function nth(cards: readonly SecretCard[], index: number): SecretCard {
  const card = cards[index % cards.length]
  if (card === undefined) throw new Error('the sandbox has no cards for the burst')
  return card
}
