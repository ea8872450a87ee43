// The values of the lines to try, for a sandbox that a start has just filled, or a reset.
import { readSettings, SETTINGS } from '../../shared/settings.ts'
import type { NextSteps } from './next-steps.ts'
import { loopbackPort } from './ports.ts'
import type { ListedCard } from './seed/listed-cards.ts'

/** The port of the receiver in the printed line, if it is free. */
const RECEIVER_PORT = 8090

/** Where the sandbox is. */
export type SandboxPlace = Omit<NextSteps, 'card' | 'defaultDataDir' | 'receiverPort'>

/** Null where no active card asks its tenant. */
export async function planNextSteps(
  place: SandboxPlace,
  cards: readonly ListedCard[],
): Promise<NextSteps | null> {
  const card = cards.find((listed) => listed.realtime && listed.status === 'active')
  if (card === undefined) return null
  const defaultDataDir = place.dataDir === fallbackDataDir()
  return { ...place, card, defaultDataDir, receiverPort: await loopbackPort(RECEIVER_PORT) }
}

function fallbackDataDir(): string {
  const settings = readSettings({}, ['SVC_DATA_DIR'])
  return settings.ok ? settings.value.SVC_DATA_DIR : SETTINGS.SVC_DATA_DIR.fallback
}
