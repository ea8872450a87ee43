import { damagedJournal } from '../faults/disk/damage.ts'
import { failingDisk } from '../faults/disk/failing.ts'
import { dataWithoutRoom } from '../faults/disk/no-room.ts'
import { cutPower } from '../faults/disk/power-loss.ts'
import { shortForm } from '../faults/short.ts'

shortForm('power cuts at any moment lose no answer and change none', cutPower)
shortForm('a sync that fails stops the engine, and what was answered stays', failingDisk)
shortForm('a journal torn or flipped is cut back or refused, never read past', damagedJournal)
shortForm('a disk full of journal, cache and logs freezes no process', dataWithoutRoom)
