// A fraudster tests a card with many small payments: a fraud rule stops the card, and only its
// tenant resumes it.
import { sleep } from '../../../shared/clock.ts'
import type { NetworkAnswer } from '../../../shared/schemas/network-message.ts'
import { valueAt } from '../api.ts'
import { approved, declined } from '../expected.ts'
import { openNetwork } from '../network.ts'
import type { Scenario } from '../scenario.ts'
import type { Stage } from '../stage.ts'

const BURST = 200
const CONNECTIONS = 4
/** The count of the program's fraud rule. */
const SUSPICIOUS = 10
const LOOKS_MAX = 200
const LOOK_AGAIN_MS = 100
const SMALL = { amount_cents: 100, entry_method: 'online' } as const
const QUESTION = {
  amount_cents: 100,
  merchant: { id: 'merch_sim_grocery', mcc: '5411', country: 'US' },
}

export const CARD_TESTING: readonly Scenario[] = [
  {
    name: 'card_testing',
    story: 'Of two hundred small payments ten pass; then the card is stopped until it is resumed.',
    covers: [41],
    play: playBurst,
  },
]

async function playBurst(stage: Stage): Promise<void> {
  const card = stage.card('fraud_active')
  const { api } = stage
  const startAgain = async (): Promise<void> => {
    if (valueAt(await api.card(card.id), 'status') === 'suspended') await api.resume(card.id)
  }
  await startAgain()
  const network = openNetwork(stage.surroundings.sandbox, stage.clock, CONNECTIONS)
  stage.afterwards(async () => network.close())
  stage.afterwards(startAgain)
  const messages = Array.from({ length: BURST }, () => stage.message(card, SMALL))
  const answers = await Promise.all(messages.map((message) => stage.send(message, network)))
  const passed = answers.filter(({ answer }) => answer?.approved === true).length
  // Payments of a run in the last minute count too.
  if (passed < 1 || passed > SUSPICIOUS) stage.note(passed + ' of the payments were approved')
  const refused = answers.filter(({ answer }) => isStopped(answer)).length
  stage.check('payments that were refused', BURST - passed, refused)
  const stopped = await suspended(stage, card.id)
  stage.check('card', { status: 'suspended' }, stopped)
  const events = await api.events(card.id)
  stage.check('latest event of the card', 'card.suspended', valueAt(events[0], 'type'))
  stage.check('the engine hears of it', true, await isHeardOf(stage, card.id))
  await stage.authorize(
    stage.message(card, { entry_method: 'chip' }),
    declined({ reason: 'card_suspended', code: '62', rule: 'card_state' }),
  )
  await api.resume(card.id)
  await stage.authorize(stage.message(card, { entry_method: 'chip' }), approved())
}

/** `card_suspended` once PostgreSQL has it, and hidden before. */
function isStopped(answer: NetworkAnswer | null): boolean {
  if (answer === null || answer.approved) return false
  return answer.decline_reason === 'do_not_honor' || answer.decline_reason === 'card_suspended'
}

/** Returns the card once the drain has copied the engine's decision. */
async function suspended(stage: Stage, cardId: string): Promise<unknown> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const card = await stage.api.card(cardId)
    if (card['status'] === 'suspended') return card
    await sleep(LOOK_AGAIN_MS)
  }
  return stage.api.card(cardId)
}

/**
 * The suspension by the drain reaches the engine as a config record a moment after the API shows
 * it; until then the engine's own stop declines.
 */
async function isHeardOf(stage: Stage, cardId: string): Promise<boolean> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const { trace } = await stage.api.evaluate(cardId, QUESTION)
    const rows = trace as readonly { rule_id: string; verdict: string }[]
    if (rows.some((row) => row.rule_id === 'card_state' && row.verdict === 'fail')) return true
    await sleep(LOOK_AGAIN_MS)
  }
  return false
}
