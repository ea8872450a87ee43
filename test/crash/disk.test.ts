import { damagedJournal } from '../faults/disk/damage.ts'
import { failingDisk } from '../faults/disk/failing.ts'
import { dataWithoutRoom } from '../faults/disk/no-room.ts'
import { onShim } from '../faults/disk/on-shim.ts'
import { cutPower } from '../faults/disk/power-loss.ts'
import { shortForm } from '../faults/short.ts'
import { file, perFile } from '../harness/per-file.ts'

/** One stack for two tests: the first finds it empty, and leaves it drained. */
const shared = perFile(() => onShim(file, { watched: true }))

shortForm('power cuts at any moment lose no answer and change none', (t) => cutPower(t, shared()))
shortForm('a sync that fails stops the engine, and what was answered stays', (t) =>
  failingDisk(t, shared()),
)
shortForm('a journal torn or flipped is cut back or refused, never read past', damagedJournal)
shortForm('a disk full of journal, cache and logs freezes no process', dataWithoutRoom)
