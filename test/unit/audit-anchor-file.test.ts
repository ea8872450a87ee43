// The file of the audit anchors where its writer may append to it and not read it.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { filePlace } from '../../api/platform/audit/anchors.ts'

const LINE = '{"at":"2026-11-27T02:00:00.000Z","heads":[]}'

/** As a file of mode 0200 answers everybody but root, who may read all. */
function writeOnly(path: string, flags: string, mode: number): Promise<FileHandle> {
  const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  return flags.includes('+') ? Promise.reject(refused) : open(path, flags, mode)
}

test('a file that may not be read is appended to, and each line has an end before it', async (t) => {
  const path = join(t.testdir(), 'anchors')
  writeFileSync(path, LINE.slice(0, 20))
  const place = filePlace(path, writeOnly)
  await place.write(LINE, 0)
  await place.write(LINE, 0)
  t.equal(readFileSync(path, 'utf8'), LINE.slice(0, 20) + '\n' + LINE + '\n\n' + LINE + '\n')
})

test('a file of mode 0200 is appended to by whoever runs this', async (t) => {
  const path = join(t.testdir(), 'anchors')
  writeFileSync(path, LINE + '\n')
  chmodSync(path, 0o200)
  await filePlace(path).write(LINE, 0)
  chmodSync(path, 0o600)
  const lines = readFileSync(path, 'utf8').split('\n')
  t.same(
    lines.filter((line) => line !== ''),
    [LINE, LINE],
  )
})

test('a file that may not be written to either is an error', async (t) => {
  const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  const place = filePlace('/nowhere/anchors', () => Promise.reject(refused))
  await t.rejects(place.write(LINE, 0), /EACCES/)
  await t.rejects(filePlace(join(t.testdir(), 'none', 'anchors')).write(LINE, 0), /ENOENT/)
})
