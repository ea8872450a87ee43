// Rows of the table of faults that `npm test` leaves out, in their short form. Rows that measure
// (28, 29, 33 and 35) need a machine for themselves: `npm run faults`.
import { backlog } from '../faults/backlog.ts'
import { backupAndRestore } from '../faults/backup.ts'
import { badLines, outOfOrder } from '../faults/bad-lines.ts'
import { damagedCache } from '../faults/disk/damage.ts'
import { cacheWithoutRoom, journalWithoutRoom } from '../faults/disk/no-room.ts'
import { startTwice, stopInItsTracks } from '../faults/engine-process.ts'
import {
  anotherPostgres,
  commitUnknown,
  postgresDown,
  postgresHung,
} from '../faults/postgres-away.ts'
import { shortForm } from '../faults/short.ts'

shortForm('a second engine on the directory says why it does not start', startTwice)
shortForm('an engine that stood still approves nothing too late', stopInItsTracks)
shortForm('a journal without room refuses, and goes on once drained', journalWithoutRoom)
shortForm('a cache without room stops no decision', cacheWithoutRoom)
shortForm('a damaged cache is filled again', damagedCache)
shortForm('decisions go on without PostgreSQL, also after a start, and are drained', postgresDown)
shortForm('decisions go on while PostgreSQL hangs', postgresHung)
shortForm('an entry whose commit nobody heard of counts once', commitUnknown)
shortForm('bad lines lose no answer and hold up no other line', badLines)
shortForm('configuration that commits out of order is covered', outOfOrder)
shortForm(
  'another PostgreSQL behind the address is refused, and served after a start',
  anotherPostgres,
)
shortForm('entries that piled up are drained once', backlog)
shortForm('copies in mismatched pairs lose nothing, or are refused', backupAndRestore)
