// The replicated log over a real etcd of three nodes: answers that are lost after etcd applied the
// call, an owner that was paused, nodes that are killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Test, test } from 'tap'
import { decodeFrame, eachFrameEntry } from '../../engine/agreement/frame.ts'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { foundTransaction, ownerValue } from '../../engine/agreement/protocol.ts'
import type { AgreementStore } from '../../engine/agreement/store.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { systemClock } from '../../shared/clock.ts'
import { openReplyCutter } from '../fakes/reply-cutter.ts'
import { openProxy } from '../faults/proxy.ts'
import {
  etcdNodes,
  etcdStore,
  leaderOf,
  NEEDS_ETCD,
  ranged,
  settled,
  transacted,
} from '../harness/etcd.ts'
import { type OwnedLog, ownedLog } from '../harness/owned-log.ts'
import { until } from '../harness/until.ts'

const JOURNAL = 'jrn_' + '0'.repeat(26)
const KEYS = shardKeys('test', 'one')

function directoryFor(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-agreement-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function owned(
  t: Test,
  store: AgreementStore,
  told: { memberId?: string; onLost?(reason: string): void } = {},
): Promise<OwnedLog> {
  const directory = directoryFor(t)
  const member = await ownedLog(t, {
    store,
    keys: KEYS,
    ...told,
    openLocal: async (events) => {
      const opened = await openSegmentLog({
        directory,
        segmentBytes: 256 * 1024,
        clock: systemClock,
        journalId: JOURNAL,
        events,
      })
      if ('refused' in opened) throw new Error(opened.refused)
      return opened.log
    },
  })
  t.teardown(() => member.log.close())
  return member
}

/** Every entry in the store, by sequence. */
async function committed(store: AgreementStore): Promise<Map<number, string>> {
  const entries = new Map<number, string>()
  const read = await ranged(store, [{ from: KEYS.logBegin, until: KEYS.logEnd }])
  if (read.outcome !== 'read') throw new Error(read.reason)
  for (const { key, value } of read.reads[0] ?? []) {
    const frame = decodeFrame(value)
    if (!frame.ok) throw new Error(frame.error)
    if (frame.value.count > 0 && key !== KEYS.log(frame.value.first)) throw new Error('a wrong key')
    eachFrameEntry(frame.value, (seq, bytes) => {
      if (entries.has(seq)) throw new Error('entry ' + seq + ' is there twice')
      entries.set(seq, bytes.toString())
    })
  }
  return entries
}

const endpointsOf = (nodes: readonly { endpoint: string }[]): string[] =>
  nodes.map(({ endpoint }) => endpoint)

test('each outcome of a transaction is told apart by etcd itself', NEEDS_ETCD, async (t) => {
  const store = etcdStore(t, endpointsOf(await etcdNodes(t, { count: 1 })))
  const value = (text: string) => ({ is: 'value' as const, value: Buffer.from(text) })
  const steps = [
    [{ is: 'present' as const }, 'failed'],
    [value(''), 'failed'],
    [{ is: 'absent' as const }, 'succeeded'],
    [{ is: 'absent' as const }, 'failed'],
    [value('y'), 'failed'],
    [value('x'), 'succeeded'],
    [{ is: 'present' as const }, 'succeeded'],
  ] as const
  const attempt = async (key: string): Promise<string[]> => {
    const outcomes: string[] = []
    for (const [compare] of steps) {
      const { outcome } = await transacted(store, {
        compares: [{ key, ...compare }],
        writes: [{ write: 'put', key, value: Buffer.from('x') }],
        otherwise: [{ from: key, until: null }],
      })
      outcomes.push(outcome)
    }
    return outcomes
  }
  // A busy machine answers late: then the steps begin again with another key.
  let outcomes = ['unknown']
  for (let round = 0; outcomes.includes('unknown'); round++) outcomes = await attempt('/t/' + round)
  t.same(
    outcomes,
    steps.map(([, outcome]) => outcome),
  )
  await settled(store, {
    compares: [],
    writes: [{ write: 'remove', from: '/t/', until: '/t0' }],
    otherwise: [],
  })
  await until(async () => {
    const left = await ranged(store, [{ from: '/t/', until: '/t0' }])
    return left.outcome === 'read' && left.reads[0]?.length === 0
  })
})

test('a read of one key finds that key alone', NEEDS_ETCD, async (t) => {
  const store = etcdStore(t, endpointsOf(await etcdNodes(t, { count: 1 })))
  await settled(store, foundTransaction(KEYS, { journalId: JOURNAL, lastSeq: 0 }))
  const reads = [KEYS.floor, KEYS.journal, KEYS.owner].map((from) => ({ from, until: null }))
  let found: string[][] = []
  await until(async () => {
    const read = await ranged(store, reads)
    if (read.outcome === 'read') found = read.reads.map((list) => list.map(({ key }) => key))
    return read.outcome === 'read'
  })
  t.same(found, [[], [KEYS.journal], [KEYS.owner]])
})

test(
  'a watch tells every change in order, and ends at a compacted revision',
  NEEDS_ETCD,
  async (t) => {
    const store = etcdStore(t, endpointsOf(await etcdNodes(t, { count: 1 })))
    const write = (value: string) =>
      settled(store, {
        compares: [],
        writes: [{ write: 'put', key: '/t/a', value: Buffer.from(value) }],
        otherwise: [],
      })
    const begun = await write('0')
    const heard: string[] = []
    const watch = store.watch(
      { prefix: '/t/', fromRevision: begun.revision + 1 },
      {
        // A write that was repeated is heard twice.
        onEvents(events) {
          for (const { value } of events)
            if (heard.at(-1) !== value.toString()) heard.push(value.toString())
        },
        onCancelled: (reason) => t.fail(reason),
      },
    )
    for (let index = 1; index <= 50; index++) await write(String(index))
    await until(() => heard.length === 50)
    t.same(
      heard,
      Array.from({ length: 50 }, (_, index) => String(index + 1)),
    )
    watch.cancel()
    const compacted = await new Promise((resolve) => store.compact(begun.revision + 20, resolve))
    t.equal(compacted, null)
    const reason = await new Promise<string>((resolve) => {
      store.watch(
        { prefix: '/t/', fromRevision: begun.revision + 1 },
        { onEvents: () => {}, onCancelled: resolve },
      )
    })
    t.match(reason, 'compacted at ' + (begun.revision + 20))
  },
)

test(
  'an answer lost after etcd applied the append costs no entry and writes none twice',
  NEEDS_ETCD,
  async (t) => {
    const nodes = await etcdNodes(t)
    const [first] = endpointsOf(nodes)
    const cutter = await openReplyCutter(t, first ?? '')
    const direct = etcdStore(t, endpointsOf(nodes))
    await settled(direct, foundTransaction(KEYS, { journalId: JOURNAL, lastSeq: 0 }))
    // All endpoints are the proxy: each repetition meets the node that applied the first try.
    const { log } = await owned(t, etcdStore(t, [cutter.endpoint]))
    for (let round = 1; round <= 10; round++) {
      cutter.cuts = 1 + (round % 2)
      log.append(Buffer.from('cut ' + log.lastSeq))
      await until(() => log.syncedSeq === log.lastSeq)
    }
    t.ok(cutter.done >= 10, cutter.done + ' answers were swallowed')
    t.ok(log.unknown >= 10, log.unknown + ' outcomes were unknown')
    t.same(
      [...(await committed(direct))],
      Array.from({ length: 10 }, (_, index) => [index + 1, 'cut ' + index]),
    )
  },
)

interface Appender {
  child: ChildProcess
  lines: string[]
}

function appender(t: Test, endpoints: readonly string[], memberId: string): Appender {
  const script = fileURLToPath(new URL('./replicated-appender.ts', import.meta.url))
  const child = spawn(process.execPath, [script, directoryFor(t), endpoints.join(','), memberId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  let rest = ''
  child.stdout.on('data', (bytes: Buffer) => {
    const parts = (rest + bytes.toString()).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
  return { child, lines }
}

const answeredBy = ({ lines }: Appender): number =>
  Number(lines.findLast((line) => line.startsWith('answered '))?.slice('answered '.length) ?? 0)

test(
  'an owner that was paused is refused at its first batch and leaves with code 75',
  NEEDS_ETCD,
  async (t) => {
    const nodes = await etcdNodes(t)
    const store = etcdStore(t, endpointsOf(nodes))
    await settled(store, foundTransaction(KEYS, { journalId: JOURNAL, lastSeq: 0 }))
    const paused = appender(t, endpointsOf(nodes), 'mem_paused')
    await until(() => answeredBy(paused) > 200)
    paused.child.kill('SIGSTOP')

    const { log, owner } = await owned(t, store, { memberId: 'mem_next' })
    t.equal(owner.epoch, 2)
    const tookOverAt = log.lastSeq
    for (let index = 0; index < 20; index++) {
      log.append(Buffer.from('mem_next ' + (log.lastSeq + 1)))
      await until(() => log.syncedSeq === log.lastSeq)
    }
    const ended = once(paused.child, 'exit')
    paused.child.kill('SIGCONT')
    t.same(await ended, [75, null])
    t.match(paused.lines.at(-1), /^lost .*mem_next.* epoch 2/)

    const entries = await committed(store)
    for (let seq = 1; seq <= tookOverAt; seq++)
      if (entries.get(seq) !== 'mem_paused ' + seq) t.fail('entry ' + seq + ' changed')
    for (let seq = tookOverAt + 1; seq <= log.lastSeq; seq++)
      t.equal(entries.get(seq), 'mem_next ' + seq, 'the old owner wrote nothing after')
    t.ok(
      answeredBy(paused) <= tookOverAt,
      'the paused owner answered up to ' + answeredBy(paused) + ' of ' + tookOverAt,
    )
    t.equal(log.lastSeq, tookOverAt + 20)
  },
)

test('nodes of etcd that are killed one after the other cost no entry', NEEDS_ETCD, async (t) => {
  const nodes = await etcdNodes(t)
  const store = etcdStore(t, endpointsOf(nodes))
  await settled(store, foundTransaction(KEYS, { journalId: JOURNAL, lastSeq: 0 }))
  const writer = appender(t, endpointsOf(nodes), 'mem_a')
  await until(() => answeredBy(writer) > 50)
  for (const node of nodes) {
    const before = answeredBy(writer)
    await node.stop()
    await until(() => answeredBy(writer) > before + 100)
    node.start()
    await until(async () => {
      const own = await ranged(etcdStore(t, [node.endpoint]), [{ from: KEYS.owner, until: null }])
      return own.outcome === 'read'
    })
  }
  writer.child.kill('SIGKILL')
  await once(writer.child, 'exit')
  const answered = answeredBy(writer)
  const entries = await committed(store)
  const wrong = Array.from({ length: answered }, (_, index) => index + 1).filter(
    (seq) => entries.get(seq) !== 'mem_a ' + seq,
  )
  t.same(wrong, [], answered + ' entries were answered for')
  const owner = await ranged(store, [{ from: KEYS.owner, until: null }])
  t.match(owner, { reads: [[{ value: ownerValue({ epoch: 1, memberId: 'mem_a' }) }]] })
})

test('calls go to the node that leads, also after an election', NEEDS_ETCD, async (t) => {
  const nodes = await etcdNodes(t)
  const bytes = nodes.map(() => 0)
  const lines = await Promise.all(
    endpointsOf(nodes).map(async (endpoint, place) => {
      const relay = await openProxy(t, {
        host: '127.0.0.1',
        port: Number(endpoint.split(':')[1]),
      })
      relay.line.filter = (part) => {
        bytes[place] = (bytes[place] ?? 0) + part.length
        return part
      }
      return '127.0.0.1:' + relay.port
    }),
  )
  const store = etcdStore(t, lines)
  const busiest = async (): Promise<number> => {
    bytes.fill(0)
    for (let value = 0; value < 50; value++)
      await settled(store, {
        compares: [],
        writes: [{ write: 'put', key: '/t/a', value: Buffer.from('' + value) }],
        otherwise: [],
      })
    return bytes.indexOf(Math.max(...bytes))
  }
  const first = await leaderOf(nodes)
  await until(async () => (await busiest()) === (await leaderOf(nodes)))
  await nodes[first]?.stop()
  let next = -1
  await until(async () => {
    next = await leaderOf(nodes)
    return next !== -1 && (await busiest()) === next
  })
  t.not(next, first)
})
