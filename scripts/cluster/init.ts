// `npm run cluster -- init`: founds a shard in an etcd of the operator, with the journal of an
// installation on one machine where there is one: its engine becomes the first member.
import { existsSync } from 'node:fs'
import type { Founding } from '../../engine/agreement/protocol.ts'
import { lockDirectory } from '../../engine/journal/lock.ts'
import { readMeta } from '../../engine/journal/meta-file.ts'
import { readSegments } from '../../engine/journal/recover.ts'
import { journalBytes, listSegments } from '../../engine/journal/segment-files.ts'
import { systemClock } from '../../shared/clock.ts'
import { refuse } from '../../shared/command-line.ts'
import { newId } from '../../shared/id.ts'
import { namedShard } from './config.ts'
import { foundShard } from './shard.ts'

/** Founds the shard of the settings; returns the exit code. */
export async function init(): Promise<number> {
  const shard = namedShard()
  if (!shard.ok) return refuse(shard.error)
  const { name, cell, keys, dataDir, journalDirIn, openStore } = shard.value
  const journalDir = journalDirIn(dataDir)
  // Entries that a running engine adds would lie behind the founding, and be in no other journal.
  const lock = existsSync(journalDir) ? await lockDirectory(journalDir) : 'absent'
  if (lock === null)
    return refuse('An engine runs on ' + journalDir + ': stop it, then found the shard.')
  const founding = journalIn(journalDir)
  const store = openStore()
  try {
    const { journalId, lastSeq } = await foundShard(store, keys, founding)
    const own = journalId === founding.journalId
    process.stdout.write(
      (own ? 'Founded shard ' : 'Already founded: shard ') +
        (name + ' of cell ' + cell + ' with journal ' + journalId + ' up to entry ' + lastSeq) +
        '.\n',
    )
    return 0
  } finally {
    if (lock !== 'absent') await lock.release()
    await store.close()
  }
}

/** The journal of the directory, or a new one. Its engine must not run. */
function journalIn(directory: string): Founding {
  const empty = { journalId: newId('jrn', systemClock.nowMs()), lastSeq: 0 }
  const meta = readMeta(directory)
  if (!meta.ok) throw new Error(meta.error + '.')
  const journal = meta.value === null ? null : journalBytes(meta.value.journalId)
  if (meta.value === null || journal === null) return empty
  const found = readSegments(listSegments(directory), journal)
  if ('refused' in found) throw new Error(found.refused)
  return { journalId: meta.value.journalId, lastSeq: found.lastSeq }
}
