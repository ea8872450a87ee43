// Every fault of the matrix, by its row.
import { backlog } from './backlog.ts'
import { backupAndRestore } from './backup.ts'
import { badLines, notifyLost, outOfOrder } from './bad-lines.ts'
import { byTest } from './by-test.ts'
import { damagedCache, damagedJournal } from './disk/damage.ts'
import { failingDisk, slowDisk } from './disk/failing.ts'
import { cacheWithoutRoom, journalWithoutRoom } from './disk/no-room.ts'
import { cutPower } from './disk/power-loss.ts'
import { startTwice, stopInItsTracks } from './engine-process.ts'
import { evilTenant } from './evil-tenant.ts'
import type { Fault } from './fault.ts'
import { growth } from './growth.ts'
import { killEngineUnderLoad, killPostgresUnderLoad } from './kill-loops.ts'
import { overload } from './overload.ts'
import { anotherPostgres, commitUnknown, postgresDown, postgresHung } from './postgres-away.ts'
import { lastOfTheLimit, sameMessage } from './races.ts'
import { measureSnapshotStall } from './snapshot-stall.ts'

export const FAULTS: readonly Fault[] = [
  { row: 3, name: 'kill -9 of the engine under load', asserts: 'ABCDEF', run: killEngineUnderLoad },
  { row: 3, name: 'kill -9 of PostgreSQL under load', asserts: 'BCH', run: killPostgresUnderLoad },
  { row: 4, name: 'power cuts at any moment', asserts: 'CEF', run: cutPower },
  { row: 5, name: 'a second engine on the directory', asserts: 'J', run: startTwice },
  { row: 6, name: 'the engine stopped for 5 s', asserts: 'AF', run: stopInItsTracks },
  { row: 7, name: 'syncs of 1 to 500 ms', asserts: 'HJ', run: slowDisk },
  { row: 8, name: 'syncs that fail with EIO', asserts: 'ACJ', run: failingDisk },
  { row: 9, name: 'no room for the journal', asserts: 'CJ', run: journalWithoutRoom },
  { row: 10, name: 'no room for the cache', asserts: 'CG', run: cacheWithoutRoom },
  { row: 11, name: 'a journal torn or flipped', asserts: 'CJ', run: damagedJournal },
  { row: 12, name: 'a cache deleted, cut, zeroed, noise', asserts: 'AG', run: damagedCache },
  {
    row: 13,
    name: 'PostgreSQL down, at a start and under load',
    asserts: 'BCH',
    run: postgresDown,
  },
  { row: 14, name: 'PostgreSQL hung', asserts: 'CH', run: postgresHung },
  { row: 15, name: 'commits nobody hears of', asserts: 'C', run: commitUnknown },
  { row: 16, name: 'slow, dripping, silent and cut lines', asserts: 'BH', run: badLines },
  { row: 17, name: 'a listener lost, notifications lost', asserts: 'G', run: notifyLost },
  { row: 18, name: 'configuration that commits out of order', asserts: 'G', run: outOfOrder },
  { row: 19, name: 'another PostgreSQL behind the address', asserts: 'GJ', run: anotherPostgres },
  byTest({
    row: 20,
    name: 'entries that PostgreSQL refuses',
    asserts: 'C',
    files: ['test/live/drain.test.ts'],
  }),
  { row: 21, name: 'a tenant that does everything wrong', asserts: 'DEHI', run: evilTenant },
  byTest({
    row: 21,
    name: 'hanging names, certificates, late replies',
    asserts: 'HI',
    files: ['test/live/tenant-call.test.ts'],
  }),
  { row: 22, name: 'one message a thousand times at once', asserts: 'A', run: sameMessage },
  { row: 23, name: 'a crowd for the last of a limit', asserts: 'DE', run: lastOfTheLimit },
  { row: 28, name: 'three times as much as fits', asserts: 'H', run: overload },
  { row: 29, name: 'steady load: memory, descriptors, reader slots', asserts: 'H', run: growth },
  { row: 30, name: 'entries piled up, nobody drained', asserts: 'CE', run: backlog },
  { row: 34, name: 'copies put back in mismatched pairs', asserts: 'CJ', run: backupAndRestore },
  {
    row: 33,
    name: 'snapshots of a million open holds under load',
    asserts: 'H',
    run: measureSnapshotStall,
  },
  byTest({
    row: 24,
    name: 'midnight, month, year, both changes of the clock, leap day',
    asserts: 'DE',
    files: [
      'test/unit/calendar.test.ts',
      'test/unit/meters.test.ts',
      'test/live/engine-windows.test.ts',
    ],
  }),
  byTest({
    row: 26,
    name: 'HTTP by the byte',
    asserts: 'HJ',
    files: ['test/live/network-port-http.test.ts', 'test/live/network-port-tls.test.ts'],
  }),
  byTest({
    row: 31,
    name: 'an upgrade: journals of earlier releases',
    asserts: 'E',
    files: ['test/crash/releases.test.ts', 'test/live/journal.test.ts'],
  }),
]
