// Every fault of the matrix, by its row.
import { backlog } from './backlog.ts'
import { backupAndRestore } from './backup.ts'
import { badLines, notifyLost, outOfOrder } from './bad-lines.ts'
import { tested } from './by-test.ts'
import { CLUSTER_FAULTS } from './cluster-table.ts'
import { killDeliveryUnderLoad } from './delivery-kills.ts'
import { damagedCache, damagedJournal } from './disk/damage.ts'
import { failingDisk, slowDisk } from './disk/failing.ts'
import { cacheWithoutRoom, dataWithoutRoom, journalWithoutRoom } from './disk/no-room.ts'
import { cutPower } from './disk/power-loss.ts'
import { startTwice, stopInItsTracks } from './engine-process.ts'
import { evilTenant } from './evil-tenant.ts'
import type { Fault, FaultRun, Findings, Skipped } from './fault.ts'
import { growth } from './growth.ts'
import { killEngineUnderLoad, killPostgresUnderLoad } from './kill-loops.ts'
import { lastCent } from './last-cent.ts'
import { measureMemory } from './memory.ts'
import { overload, overloadedLink } from './overload.ts'
import { PAYMENT_FAULTS } from './payment-table.ts'
import { anotherPostgres, commitUnknown, postgresDown, postgresHung } from './postgres-away.ts'
import { lastOfTheLimit, sameMessage } from './races.ts'
import { measureSnapshotStall } from './snapshot-stall.ts'

function row(
  number: number,
  asserts: string,
  name: string,
  run: (t: FaultRun) => Promise<Findings | Skipped>,
): Fault {
  return { row: number, asserts, name, run }
}

export const FAULTS: readonly Fault[] = [
  tested(1, 'ABCDE', 'any mix, simulated; and planted bugs, each caught', [
    'test/simulation/line.test.ts',
    'test/simulation/drain.test.ts',
  ]),
  row(3, 'ABCDEF', 'kill -9 of the engine under load', killEngineUnderLoad),
  row(3, 'BCH', 'kill -9 of PostgreSQL under load', killPostgresUnderLoad),
  row(
    3,
    'K',
    'kill -9 of dispatcher, api and PostgreSQL under deliveries and a template’s change',
    killDeliveryUnderLoad,
  ),
  row(4, 'CEF', 'power cuts at any moment', cutPower),
  row(5, 'J', 'a second engine on the directory', startTwice),
  row(6, 'AF', 'the engine stopped for 5 s', stopInItsTracks),
  row(7, 'HJ', 'syncs of 1 to 500 ms', slowDisk),
  row(8, 'ACJ', 'syncs that fail with EIO', failingDisk),
  row(9, 'CJ', 'no room for the journal', journalWithoutRoom),
  row(10, 'CG', 'no room for the cache', cacheWithoutRoom),
  row(11, 'CJ', 'a journal torn or flipped', damagedJournal),
  row(12, 'AG', 'a cache deleted, cut, zeroed, noise', damagedCache),
  row(13, 'BCH', 'PostgreSQL down, at a start and under load', postgresDown),
  row(14, 'CH', 'PostgreSQL hung', postgresHung),
  row(15, 'C', 'commits nobody hears of', commitUnknown),
  row(16, 'BH', 'slow, dripping, silent and cut lines', badLines),
  row(17, 'G', 'a listener lost, notifications lost', notifyLost),
  row(18, 'G', 'configuration that commits out of order', outOfOrder),
  row(19, 'GJ', 'another PostgreSQL behind the address', anotherPostgres),
  tested(20, 'C', 'entries that PostgreSQL refuses', ['test/live/drain.test.ts']),
  row(21, 'DEHI', 'a tenant that does everything wrong', evilTenant),
  tested(21, 'HI', 'hanging names, certificates, late replies', ['test/live/tenant-call.test.ts']),
  row(22, 'A', 'one message a thousand times at once', sameMessage),
  row(23, 'DE', 'a crowd for the last of a limit', lastOfTheLimit),
  tested(24, 'DE', 'midnight, month, year, both changes of the clock, leap day', [
    'test/unit/calendar.test.ts',
    'test/unit/meters.test.ts',
    'test/live/engine-windows.test.ts',
  ]),
  tested(25, 'AE', 'reversals before, with and after, twice and of nothing', [
    'test/unit/lifecycle.test.ts',
    'test/unit/lifecycle-line.test.ts',
  ]),
  tested(26, 'HJ', 'HTTP by the byte', [
    'test/live/network-port-http.test.ts',
    'test/live/network-port-tls.test.ts',
  ]),
  tested(27, 'AJ', 'malformed JSON and ISO 8583', [
    'test/live/network-port-fuzz.test.ts',
    'test/unit/iso8583-codec.test.ts',
  ]),
  row(28, 'H', 'three times as much as fits', overload),
  row(28, 'H', 'three times as much as fits over one ISO 8583 link', overloadedLink),
  row(29, 'H', 'steady load: memory, descriptors, reader slots', growth),
  row(30, 'CE', 'entries piled up, nobody drained', backlog),
  tested(31, 'E', 'an upgrade: journals of earlier releases, and back: what a newer one left', [
    'test/crash/releases.test.ts',
    'test/crash/newer-formats.test.ts',
    'test/live/journal.test.ts',
  ]),
  row(33, 'H', 'snapshots of a million open holds under load', measureSnapshotStall),
  row(34, 'CJ', 'copies put back in mismatched pairs', backupAndRestore),
  tested(34, 'ACD', 'everything lost, and restored from a backup that was made under load', [
    'test/drills/restore-drill.test.ts',
  ]),
  {
    row: 35,
    name: 'a million cards, ten million answers to recall',
    asserts: 'H',
    run: measureMemory,
  },
  row(36, 'ACHJ', 'no room for journal, cache and logs together', dataWithoutRoom),
  row(37, 'DE', 'cards and payments at one remaining cent', lastCent),
  ...PAYMENT_FAULTS,
  ...CLUSTER_FAULTS,
]
