// Row 3 with payments beside cards: one engine is killed at random moments, and every sender asks
// again under the same id. The journal is the witness: each answer is in it once, and no limit or
// fund was over after any of its entries.
import { join } from 'node:path'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { recoverState } from '../../engine/recover-state.ts'
import { windowMismatch } from '../../engine/state/decision-state.ts'
import { openNetwork } from '../../scripts/simulate/network.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import type { MinorUnits } from '../../shared/money.ts'
import type { NetworkMessage } from '../../shared/schemas/network-message.ts'
import { countedAmount } from '../../shared/transaction-sums.ts'
import type { PaymentMessage } from '../../shared/wire/control.ts'
import { type DecisionEntry, decodeEntry } from '../../shared/wire/journal-entry.ts'
import { NETWORK_SECRET, newMessage, pushConfig } from '../harness/engine.ts'
import { type EngineChild, startEngineChild } from '../harness/engine-child.ts'
import { freePorts } from '../harness/free-ports.ts'
import { controlsConfig, limitConfig } from '../harness/judged.ts'
import { accountConfig, paymentFollowUp, paymentMessage } from '../harness/payment-messages.ts'
import { SEGMENT_BYTES } from '../harness/segment-bytes.ts'
import { newDataDir } from '../harness/start.ts'
import { until } from '../harness/until.ts'
import { Random } from '../simulation/random.ts'
import type { FaultRun, Findings } from './fault.ts'

const LIMIT_CENTS = 60_000
const FUNDED_CENTS = 20_000
const ACCOUNTS = ['pacc_1', 'pacc_2', 'pacc_3']
const PAYERS = 12
const NETWORK_SENDERS = 8
const RETRY_MS = 50
/** From an answer to the sender's next message: the engine that starts needs a processor. */
const PAUSE_MS = 20
const REPEAT_SHARE = 0.2
const ENVIRONMENT = { SVC_SNAPSHOT_ENTRIES: '2000' }

interface Rig {
  engine: EngineChild
  /** True while killed engines come back. */
  runs: boolean
  /** The answer to each message by its id, in words: approved and reason. */
  readonly answers: Map<string, string>
  readonly problems: string[]
}

/** Kills the engine as often as the effort says. */
export async function killEngineUnderPayments(
  t: FaultRun,
): Promise<Findings & { answered: number }> {
  const random = new Random(3)
  const directory = newDataDir(t)
  const [port = 0] = await freePorts(1)
  const kept = { directory, port, environment: ENVIRONMENT }
  const rig: Rig = {
    engine: await startEngineChild(t, kept),
    runs: true,
    answers: new Map(),
    problems: [],
  }
  await pushConfig(rig.engine, { more: configRecords() })
  await rig.engine.client.databaseSays(systemClock.nowMs())
  const senders = [
    ...Array.from({ length: PAYERS }, (_, number) => payer(rig, new Random(100 + number))),
    cards(rig),
  ]
  for (let kill = 1; kill <= t.effort.kills; kill++) {
    const before = rig.answers.size
    await until(() => rig.answers.size > before)
    await sleep(50 + random.below(750))
    rig.engine.child.kill('SIGKILL')
    await rig.engine.exited
    rig.engine = await startEngineChild(t, kept)
    await rig.engine.client.databaseSays(systemClock.nowMs())
    t.say('kill ' + kill + ': ' + rig.answers.size + ' answered')
  }
  await sleep(300)
  rig.runs = false
  await Promise.all(senders)
  rig.engine.child.kill('SIGTERM')
  await rig.engine.exited
  const { answers, problems } = rig
  problems.push(...(await compare(directory, answers)))
  const injected = t.effort.kills + ' kills of the engine under ' + answers.size + ' answers'
  return { injected, problems: problems.slice(0, 20), answered: answers.size }
}

function configRecords() {
  const amount = LIMIT_CENTS as MinorUnits
  const limits = [limitConfig({ interval: 'all_time', amount_cents: amount })]
  const shared = { ...controlsConfig({ limits }), id: 'ch_1', scope: 'cardholder' as const }
  const accounts = ACCOUNTS.map((id) => accountConfig({ id, funded_cents: FUNDED_CENTS }))
  return [shared, ...accounts]
}

/** Pays, then captures, voids or abandons, until the end. */
async function payer(rig: Rig, random: Random): Promise<void> {
  while (rig.runs) {
    const authorization = paymentMessage({
      payment_account_id: random.pick(ACCOUNTS),
      amount_cents: 1 + random.below(900),
    })
    await sleep(PAUSE_MS)
    if (!(await ask(rig, random, authorization))) continue
    for (const message of followUps(authorization, random)) await ask(rig, random, message)
  }
}

function followUps(authorization: PaymentMessage, random: Random): PaymentMessage[] {
  const { amount_cents } = authorization
  const part = 1 + random.below(amount_cents)
  const follow = (change: Parameters<typeof paymentFollowUp>[1]) =>
    paymentFollowUp(authorization, change)
  switch (random.below(4)) {
    case 0:
      return [follow({ kind: 'reversal' })]
    case 1:
      return [follow({ kind: 'capture', amount_cents: part })]
    case 2:
      return [
        follow({ kind: 'capture', amount_cents: part, final: false }),
        follow({ kind: 'capture_reversal', amount_cents: part }),
      ]
    default:
      return []
  }
}

/** Asks until the engine answers, and now and then again; true for an approval. */
async function ask(rig: Rig, random: Random, message: PaymentMessage): Promise<boolean> {
  let approved = false
  for (let repeats = random.chance(REPEAT_SHARE) ? 2 : 1; repeats > 0; repeats--) {
    for (;;) {
      const answer = await rig.engine.client.decidePayment(message)
      if (answer.state === 'away') {
        await sleep(RETRY_MS)
        continue
      }
      const { approved: yes, declineReason } =
        answer.state === 'decided' ? answer.entry.decision : answer
      note(rig, message.id, yes, declineReason)
      approved = yes
      break
    }
  }
  return approved
}

function note({ answers, problems }: Rig, id: string, approved: boolean, reason: string | null) {
  const words = approved + ' ' + reason
  const before = answers.get(id)
  if (before !== undefined && before !== words)
    problems.push(id + ' was answered ' + before + ', then ' + words)
  answers.set(id, words)
}

/** The purchases of a card of the same cardholder. */
async function cards(rig: Rig): Promise<void> {
  const network = openNetwork(
    { engine_url: rig.engine.url, network: { key_id: 'nk_1', secret: NETWORK_SECRET } },
    systemClock,
    NETWORK_SENDERS,
  )
  const sender = async (): Promise<void> => {
    while (rig.runs) {
      const message: NetworkMessage = { ...newMessage(), amount_cents: 300 }
      for (;;) {
        const { answer } = await network.send(message)
        if (answer !== null) {
          note(rig, message.id, answer.approved, answer.decline_reason)
          break
        }
        await sleep(RETRY_MS)
      }
      await sleep(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: NETWORK_SENDERS }, sender))
  network.close()
}

async function compare(directory: string, answers: ReadonlyMap<string, string>): Promise<string[]> {
  const problems: string[] = []
  const journal = join(directory, 'journal')
  const opened = await openSegmentLog({
    directory: journal,
    segmentBytes: SEGMENT_BYTES,
    clock: systemClock,
    events: { onSynced: () => undefined, onFailed: (reason) => problems.push(reason) },
  })
  if ('refused' in opened) return [opened.refused]
  const { log } = opened
  try {
    const entries: DecisionEntry[] = []
    log.replay(log.oldestSeq, (_, bytes) => {
      const entry = decodeEntry(bytes)
      if (entry.kind === 'decision') entries.push(entry)
    })
    problems.push(...answerProblems(entries, answers), ...sumProblems(entries))
    const recovered = recoverState(journal, log)
    if (!recovered.ok) problems.push(recovered.error)
    else problems.push(...[windowMismatch(recovered.value.state)].filter((found) => found !== null))
  } finally {
    await log.close()
  }
  return problems
}

/** Every answer is in the journal once, and as it was given. */
function answerProblems(
  entries: readonly DecisionEntry[],
  answers: ReadonlyMap<string, string>,
): string[] {
  const problems: string[] = []
  const decided = new Map<string, string>()
  for (const { message, decision } of entries) {
    if (decided.has(message.id)) problems.push(message.id + ' was decided twice')
    decided.set(message.id, decision.approved + ' ' + decision.declineReason)
  }
  for (const [id, words] of answers)
    if (decided.get(id) !== words)
      problems.push(id + ' was answered ' + words + ', decided ' + decided.get(id))
  return problems
}

/** After each entry: what the accounts spent of their funds, and the cardholder of the limit. */
function sumProblems(entries: readonly DecisionEntry[]): string[] {
  const problems: string[] = []
  const counted = new Map<string, number>()
  const used = new Map<string, number>()
  for (const { card, effect, message } of entries) {
    if (card === null || effect === null) continue
    const link = effect.link.toString('latin1')
    const now = countedAmount(effect.sums)
    const added = now - (counted.get(link) ?? 0)
    counted.set(link, now)
    for (const owner of [card.cardId, card.cardholderId]) {
      const sum = (used.get(owner) ?? 0) + added
      used.set(owner, sum)
      const most = owner.startsWith('pacc_') ? FUNDED_CENTS : owner === 'ch_1' ? LIMIT_CENTS : sum
      if (sum > most) problems.push(`${owner} has ${sum} of ${most} after ${message.id}`)
    }
  }
  return problems
}
