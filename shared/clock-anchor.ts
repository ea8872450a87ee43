// The anchor of the system clock: a moment at which the clock was confirmed, and the machine's
// running time of then. Within one boot the clock must have advanced as the running time did, so an
// anchor is a second source of time that needs no database.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { EpochMs } from './clock.ts'
import { CLOCK_APART_MS_MAX } from './limits.ts'
import { SHARDS_FOLDER } from './shards.ts'

export interface Machine {
  /** Another one after every boot. */
  readonly bootId: string
  /** Milliseconds since the boot, suspended time included (CLOCK_BOOTTIME). */
  uptimeMs(): number
}

export interface ClockAnchor {
  bootId: string
  uptimeMs: number
  /** The confirmed system clock at that running time. */
  nowMs: EpochMs
  /** The database's clock at that running time; null where it was not heard. */
  databaseMs: EpochMs | null
  /** ClockSources.acceptedMs */
  acceptedMs: EpochMs
  /**
   * The database's clock at that running time if an operator accepted that it is another one; null
   * where none did.
   */
  acceptedDatabaseMs: EpochMs | null
}

/** Without a boot id every process takes the machine for a newly started one. */
export const systemMachine: Machine = { bootId: readBootId(), uptimeMs: () => uptime() * 1000 }

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return randomUUID()
  }
}

/** The file of the anchor in the directory of a shard. Its engine alone writes it. */
export function clockAnchorPath(dataDir: string): string {
  return join(dataDir, 'clock.json')
}

/** Null where there is none that this version can read: then the other sources have to do. */
export function readClockAnchor(path: string): ClockAnchor | null {
  try {
    return anchorOf(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/**
 * The latest anchor of this boot that an engine of the machine keeps: each shard has one of its own
 * in the data directory. Null where there is none.
 */
export function readLatestAnchor(dataDir: string, bootId: string): ClockAnchor | null {
  let latest: ClockAnchor | null = null
  for (const directory of [dataDir, ...shardDirectories(dataDir)]) {
    const anchor = readClockAnchor(clockAnchorPath(directory))
    if (anchor === null || anchor.bootId !== bootId) continue
    if (latest === null || anchor.uptimeMs > latest.uptimeMs) latest = anchor
  }
  return latest
}

function shardDirectories(dataDir: string): readonly string[] {
  const folder = join(dataDir, SHARDS_FOLDER)
  try {
    return readdirSync(folder).map((shard) => join(folder, shard))
  } catch {
    return []
  }
}

/** The content of the file. */
export function clockAnchorText(anchor: ClockAnchor): string {
  return (
    JSON.stringify({
      boot_id: anchor.bootId,
      uptime_ms: anchor.uptimeMs,
      now_ms: anchor.nowMs,
      database_ms: anchor.databaseMs,
      accepted_ms: anchor.acceptedMs,
      accepted_database_ms: anchor.acceptedDatabaseMs,
    }) + '\n'
  )
}

function anchorOf(value: unknown): ClockAnchor | null {
  if (typeof value !== 'object' || value === null) return null
  const row = value as { [name: string]: unknown }
  const { boot_id: bootId, uptime_ms: uptimeMs, now_ms: nowMs } = row
  const { database_ms: databaseMs, accepted_ms: acceptedMs } = row
  // Anchors of earlier versions have no such member.
  const { accepted_database_ms: acceptedDatabaseMs = null } = row
  if (typeof bootId !== 'string' || !isMoment(uptimeMs) || !isMoment(nowMs)) return null
  if (databaseMs !== null && !isMoment(databaseMs)) return null
  if (!isMoment(acceptedMs)) return null
  if (acceptedDatabaseMs !== null && !isMoment(acceptedDatabaseMs)) return null
  return { bootId, uptimeMs, nowMs, databaseMs, acceptedMs, acceptedDatabaseMs }
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** Milliseconds that the machine ran since the anchor; null where the anchor is of another boot. */
export function ranSince(
  anchor: ClockAnchor | null,
  { bootId, uptimeMs }: { bootId: string; uptimeMs: number },
): number | null {
  if (anchor === null || anchor.bootId !== bootId) return null
  const ranMs = uptimeMs - anchor.uptimeMs
  // A container may count its own running time under the boot of its host.
  return ranMs < 0 ? null : ranMs
}

/**
 * Whether the database's clock advanced as the machine's running time did, as far as the anchor
 * shows.
 */
export function databaseIsSteady(
  anchor: ClockAnchor | null,
  ranMs: number | null,
  databaseMs: EpochMs | null,
): boolean {
  if (anchor === null || ranMs === null || databaseMs === null) return false
  if (anchor.databaseMs === null) return false
  return Math.abs(databaseMs - anchor.databaseMs - ranMs) <= CLOCK_APART_MS_MAX
}

/**
 * The database's clock as it would be now if it went on as when an operator accepted it; null where
 * none did, or where another boot began since.
 */
export function acceptedDatabase(anchor: ClockAnchor | null, ranMs: number | null): EpochMs | null {
  const acceptedMs = anchor?.acceptedDatabaseMs ?? null
  return acceptedMs === null || ranMs === null ? null : acceptedMs + ranMs
}
