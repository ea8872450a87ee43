// A file system of its own in a file, whose power can be cut: what its processes wrote and did not
// sync is gone, however long they go on running. ext4 is shut down without a last write of its
// journal, unmounted, and mounted again as after a start of the machine.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleep } from '../../../shared/clock.ts'
import type { Teardown } from '../../harness/postgres.ts'

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH. */
const SHUT_DOWN =
  'open(F,"<",$ARGV[0]) or die $!; my $f=pack("L",2); ioctl(F,0x8004587d,$f) or die $!'
/** Space is used in the file only where the file system writes. */
const IMAGE_BYTES = 4 * 1024 * 1024 * 1024
const UNMOUNT_TRIES_MAX = 200
const AGAIN_MS = 50

export interface CutDisk {
  /** Where it is mounted. */
  readonly directory: string
  /** From here on nothing reaches the disk; its processes fail. */
  cut(): void
  /** The file system as the power cut left it. Its processes must have ended. */
  mount(): Promise<void>
}

function run(command: string, ...words: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(command, words, { encoding: 'utf8' })
  return status === 0 ? null : command + ': ' + (error?.message ?? stderr.trim())
}

/** Makes, mounts and formats the disk; a sentence where this user or this machine cannot. */
export function openCutDisk(t: Teardown): CutDisk | string {
  const root = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  const [image, directory] = [join(root, 'image'), join(root, 'mounted')]
  t.teardown(() => {
    run('umount', '-l', directory)
    rmSync(root, { recursive: true, force: true })
  })
  mkdirSync(directory)
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  const mounted = (): string | null => run('mount', '-o', 'loop', image, directory)
  const problem = run('mkfs.ext4', '-q', '-F', '-m', '0', image) ?? mounted()
  if (problem !== null) return problem
  return {
    directory,
    cut() {
      const failed = run('perl', '-e', SHUT_DOWN, directory)
      if (failed !== null) throw new Error(failed)
    },
    async mount() {
      for (let tries = 0; ; tries++) {
        const busy = run('umount', directory)
        if (busy === null) break
        if (tries === UNMOUNT_TRIES_MAX) throw new Error(busy)
        await sleep(AGAIN_MS)
      }
      const failed = mounted()
      if (failed !== null) throw new Error(failed)
    },
  }
}
