// A process that owns a shard and appends to its replicated log until it is stopped: it says each
// sequence that it would have answered for, and leaves with code 75 where another member owns the
// shard.

import { openEtcdStore } from '../../engine/agreement/etcd-store.ts'
import { shardKeys } from '../../engine/agreement/keys.ts'
import { openSegmentLog } from '../../engine/journal/open-segment-log.ts'
import { systemClock } from '../../shared/clock.ts'
import { ownedLog } from '../harness/owned-log.ts'

const [directory = '', endpoints = '', memberId = ''] = process.argv.slice(2)
const fail = (reason: string): never => {
  process.stdout.write('failed ' + reason + '\n')
  process.exit(70)
}
const store = openEtcdStore({ endpoints: endpoints.split(','), tls: null, onFailed: fail })
const { log, owner } = await ownedLog(
  { teardown: () => {} },
  {
    store,
    keys: shardKeys('test', 'one'),
    memberId,
    openLocal: async (events) => {
      const opened = await openSegmentLog({
        directory,
        segmentBytes: 256 * 1024,
        clock: systemClock,
        journalId: 'jrn_' + '0'.repeat(26),
        events,
      })
      return 'refused' in opened ? fail(opened.refused) : opened.log
    },
    onSynced: (seq) => process.stdout.write('answered ' + seq + '\n'),
    onLost(reason) {
      process.stdout.write('lost ' + reason + '\n')
      process.exit(75)
    },
  },
)
process.stdout.write('owner ' + owner.epoch + '\n')
const appendNext = (): void => {
  if (log.waiting < 50) log.append(Buffer.from(memberId + ' ' + (log.lastSeq + 1)))
  systemClock.after(1, appendNext)
}
appendNext()
