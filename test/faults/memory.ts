// Memory that a big installation needs: a million cards in the config cache, a hundred thousand of
// them with spending, ten million answers to recall. The figure is the anonymous resident memory of
// a separate process, measured again after as many further messages.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openConfigCache } from '../../engine/config-cache/config-cache.ts'
import { type DecisionState, emptyState, step } from '../../engine/state/decision-state.ts'
import { ENGINE_HEAP, ENGINE_MEMORY } from '../../scripts/start/processes.ts'
import { sleep, systemClock } from '../../shared/clock.ts'
import { encodeId } from '../../shared/id.ts'
import { createLog } from '../../shared/log.ts'
import { noSums } from '../../shared/transaction-sums.ts'
import type { CardConfig } from '../../shared/wire/config-records.ts'
import type { DecisionEntry } from '../../shared/wire/journal-entry.ts'
import { decisionEntry } from '../harness/entries.ts'
import { judgedConfig } from '../harness/judged.ts'
import type { Findings } from './fault.ts'

const ANONYMOUS_BYTES_MAX = 1.2 * 1024 ** 3
/** Growth in the second round up to this size is noise of the allocator. */
const GROWTH_BYTES_MAX = 96 * 1024 ** 2
/** Bytes of record and index together. */
const ANSWER_BYTES_MAX = 64
const CARDS = 1_000_000
const SPENT = 100_000
const ANSWERS = 10_000_000
const PART = 5000
const LOOKS = 10
const LOOK_MS = 300
const DAY = 20_261_120
const NOW_MS = Date.UTC(2026, 10, 20, 12)

/** Anonymous resident memory of this process once the collector has returned its free pages. */
async function anonymousBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let looks = 0; looks < LOOKS; looks++) {
    globalThis.gc?.()
    await sleep(LOOK_MS)
    const text = readFileSync('/proc/self/smaps_rollup', 'utf8')
    least = Math.min(least, Number(/^Anonymous:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024)
  }
  return least
}

async function fillConfig(directory: string) {
  const log = createLog({ name: 'memory', level: 'silent' })
  const configCache = openConfigCache({
    directory,
    clock: systemClock,
    log,
    onFailed(reason) {
      throw new Error(reason)
    },
  })
  const resync = { database_id: 'memory', base: 'memory' }
  await configCache.apply({ ...resync, step: 'begin', changes: [], cursor: null })
  const { card } = judgedConfig()
  for (let from = 0; from < CARDS; from += PART) {
    const changes: CardConfig[] = []
    for (let number = from; number < from + PART; number++) {
      const id = 'card_' + number
      const own = { id, token: 'tok_' + number, fingerprint: 'f' + number, windows_id: id }
      changes.push({ ...card, ...own })
    }
    await configCache.apply({ ...resync, step: 'part', changes, cursor: null })
  }
  await configCache.apply({ ...resync, step: 'commit', changes: [], cursor: '1:1:' })
  return configCache
}

/** The approval of a message with this number, on one of the cards with spending. */
function approval(base: DecisionEntry, number: number): DecisionEntry {
  const key = numbered(number)
  const holder = number % SPENT
  const windows = (['prog_1', 'ch_' + holder, 'card_' + holder] as const).map(
    (subject) => [subject, 'UTC', 'USD', DAY] as const,
  )
  return {
    ...base,
    messageKey: key,
    transactionId: 'txn_' + encodeId(key),
    receivedAtMs: NOW_MS,
    decision: { ...base.decision, meters: windows },
    effect: {
      link: key,
      sequence: 1,
      event: 'authorized',
      amountCents: 1250,
      sums: { ...noSums(), authorized: 1250 },
      flags: 0,
      holdExpiresAtMs: NOW_MS + 7 * 86_400_000,
      early: null,
    },
  }
}

/** 16 bytes unique to this number, spread like the hash of a message key. */
function numbered(number: number): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32LE(mixed(number), 0)
  bytes.writeUInt32LE(mixed(number ^ 0x5bd1e995), 4)
  bytes.writeUInt32LE(number, 8)
  return bytes
}

/** The finalizer of MurmurHash3. */
function mixed(number: number): number {
  let bits = number ^ (number >>> 16)
  bits = Math.imul(bits, 0x85ebca6b)
  bits ^= bits >>> 13
  bits = Math.imul(bits, 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

function recallMany(state: DecisionState, from: number, count: number, atMs: number): void {
  for (let number = from; number < from + count; number++) {
    state.recall.put({
      key: numbered(number),
      contentHash: Buffer.alloc(8),
      transaction: null,
      approved: false,
      approvedAmountCents: 0,
      authorizationCode: null,
      declineReason: 'limit_daily',
      decidedBy: 'static_controls',
      standIn: false,
      availableCents: null,
      advisedCode: null,
      receivedAtMs: atMs,
    })
    state.recall.expire(atMs - 1, 4)
  }
}

async function measure(): Promise<Findings> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-memory-'))
  try {
    const configCache = await fillConfig(directory)
    const state = emptyState()
    const base = decisionEntry({})
    for (let number = 0; number < SPENT; number++)
      step(state, { type: 'entry', seq: number + 1, entry: approval(base, number) })
    recallMany(state, SPENT, ANSWERS - SPENT, NOW_MS)
    // Reading fills the cache of decoded records.
    for (let number = 0; number < CARDS; number += 7) configCache.cardByToken('tok_' + number)
    const full = await anonymousBytes()
    // Two days later another answer replaces each one, and two days after that again.
    recallMany(state, ANSWERS, ANSWERS, NOW_MS + 48 * 3_600_000)
    for (let number = 3; number < CARDS; number += 7) configCache.cardByToken('tok_' + number)
    const once = await anonymousBytes()
    recallMany(state, 2 * ANSWERS, ANSWERS, NOW_MS + 96 * 3_600_000)
    for (let number = 5; number < CARDS; number += 7) configCache.cardByToken('tok_' + number)
    const later = await anonymousBytes()
    const perAnswer = state.recall.bytes / state.recall.size
    await configCache.close()
    const problems: string[] = []
    if (perAnswer > ANSWER_BYTES_MAX) problems.push('an answer needs ' + perAnswer + ' bytes')
    const held = [full, once, later].map(megabytes).join(', then ')
    if (Math.max(full, once, later) > ANONYMOUS_BYTES_MAX) problems.push('needs ' + held)
    if (later > once + GROWTH_BYTES_MAX) problems.push('grows: ' + held)
    return {
      injected:
        [CARDS + ' cards', SPENT + ' spent on', ANSWERS + ' answers, three times'].join(', ') +
        ': ' +
        held +
        ', ' +
        perAnswer.toFixed(1) +
        ' bytes an answer',
      problems,
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1024 ** 2) + ' MB'
}

/** Measures in a separate process, so that no other memory counts. */
export function measureMemory(): Promise<Findings> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [...ENGINE_HEAP, '--expose-gc', fileURLToPath(import.meta.url), CHILD],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...ENGINE_MEMORY, ...process.env },
      },
    )
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(text))
      else reject(new Error('the measuring process ended with ' + code))
    })
  })
}

const CHILD = 'measure'

if (process.argv[2] === CHILD) process.stdout.write(JSON.stringify(await measure()))
