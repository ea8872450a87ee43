// The orderly end of an engine: open messages are answered, and waiting entries are written, before
// anything is closed.
import { type Clock, sleep } from '../shared/clock.ts'
import type { AuthorizationLine } from './authorize.ts'
import type { ClockGuard } from './clock-guard.ts'
import type { ConfigCache } from './config-cache/config-cache.ts'
import type { Control } from './control/control.ts'
import type { EngineLog } from './journal/decision-log.ts'
import type { HttpListener } from './listeners/http.ts'
import type { IsoListener } from './listeners/iso8583.ts'
import type { OpenMember } from './member/open-member.ts'
import type { Readiness } from './readiness.ts'
import type { Snapshots } from './snapshots.ts'

/** Open messages are waited for this long. */
const STOP_MS_MAX = 3000

interface Stoppable {
  clock: Clock
  listener: HttpListener
  isoListener: IsoListener | null
  readiness: Readiness
  authorization: AuthorizationLine
  journal: EngineLog
  configCache: ConfigCache
  wires: {
    control: Control | null
    snapshots: Snapshots | null
    member: OpenMember | null
    stopping: boolean
  }
  guard: ClockGuard
  holds: { stop(): void }
  tenants: { close(): Promise<void> }
}

/** Resolves when everything is released. */
export async function stopEngine(parts: Stoppable): Promise<void> {
  const { member } = parts.wires
  parts.wires.stopping = true
  // Another member goes on at once; without one this member answers to the end.
  const handed = await member?.member.handOver(null)
  parts.readiness.stopping = true
  parts.listener.close()
  parts.isoListener?.close()
  parts.holds.stop()
  await parts.guard.stop()
  const until = parts.clock.nowMs() + STOP_MS_MAX
  while (handed?.ok !== true && parts.authorization.open > 0 && parts.clock.nowMs() < until)
    await sleep(5)
  parts.isoListener?.end()
  await parts.wires.snapshots?.stop()
  // The directory goes with the journal, and the process that takes it over opens a socket of the
  // same name.
  await parts.wires.control?.close()
  // A journal that is closed takes no entries of the owner.
  member?.member.follower.stop()
  await parts.journal.close()
  await member?.link.close()
  await member?.member.stop()
  await parts.tenants.close()
  await parts.configCache.close()
  parts.listener.end()
}
