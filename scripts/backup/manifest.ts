// The list of a backup: its files with their hashes, versions, and the position of journal and
// database. An HMAC under the master key proves that nobody else wrote the list.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import type { Static } from 'typebox'
import type { MasterKeys } from '../../shared/keyring.ts'
import type { Result } from '../../shared/result.ts'
import { Type } from '../../shared/schema-builders.ts'
import { hasShape } from '../../shared/shape.ts'
import { FIRST_SHARD } from '../../shared/shards.ts'

/** One shard; an earlier version reads it too. */
const FORMAT = 1
/** Several shards: an earlier version would restore the first one alone, and refuses instead. */
const SHARDS_FORMAT = 2
const MANIFEST_FILE = 'manifest.json'
const SIGNATURE_FILE = 'manifest.hmac'
/** Separates this use of the master key from every other. */
const PURPOSE = 'svc backup manifest\n'

const FILE = Type.Object({ path: Type.String(), bytes: Type.Integer(), sha256: Type.String() })
const TABLE = Type.Object({
  name: Type.String(),
  columns: Type.Array(Type.String()),
  rows: Type.Integer(),
  file: Type.String(),
})
const JOURNAL = {
  id: Type.String(),
  first_seq: Type.Integer(),
  last_seq: Type.Integer(),
  snapshot_seq: Type.Integer(),
}
const MANIFEST = Type.Object({
  format: Type.Integer(),
  created_at: Type.String(),
  version: Type.String(),
  keys: Type.Array(Type.String()),
  /** The journal of the first shard. */
  journal: Type.Object(JOURNAL),
  /** The other shards in their order; absent with one shard. */
  shards: Type.Optional(
    Type.Array(
      Type.Object({
        shard: Type.String({ pattern: '^s[1-9][0-9]?$' }),
        ...JOURNAL,
        drained_seq: Type.Integer(),
      }),
    ),
  ),
  database: Type.Object({
    server_version: Type.String(),
    migrations: Type.Array(
      Type.Object({ number: Type.Integer(), name: Type.String(), sha256: Type.String() }),
    ),
    drained_seq: Type.Integer(),
    tables: Type.Array(TABLE),
    days: Type.Array(Type.Object({ kept: Type.String(), day: Type.String() })),
    sequences: Type.Array(Type.Object({ name: Type.String(), value: Type.Integer() })),
  }),
  files: Type.Array(FILE),
})

export type Manifest = Static<typeof MANIFEST>
export type BackupShard = NonNullable<Manifest['shards']>[number]
export type BackupTable = Static<typeof TABLE>
export type BackupFile = Static<typeof FILE>

/** The format of a backup of so many shards. */
export function formatOf(shards: number): number {
  return shards > 1 ? SHARDS_FORMAT : FORMAT
}

/** Every shard of a backup with its journal, the first one first. */
export function shardsIn({ journal, shards = [], database }: Manifest): readonly BackupShard[] {
  return [{ shard: FIRST_SHARD, ...journal, drained_seq: database.drained_seq }, ...shards]
}

/** Writes the list and its signature under the current key, on disk when it returns. */
export function writeManifest(directory: string, manifest: Manifest, keys: MasterKeys): void {
  const text = JSON.stringify(manifest, null, 1) + '\n'
  const [key] = keys
  const signature = key.id + ':' + hmac(key.bytes, text).toString('hex') + '\n'
  for (const [name, content] of [
    [MANIFEST_FILE, text],
    [SIGNATURE_FILE, signature],
  ] as const)
    writeFileSync(join(directory, name), content, { mode: 0o600, flag: 'wx', flush: true })
}

/** Returns the list, or a sentence: no backup, another format, or not signed under these keys. */
export function readManifest(directory: string, keys: MasterKeys | null): Result<Manifest, string> {
  let [text, signature] = ['', '']
  try {
    text = readFileSync(join(directory, MANIFEST_FILE), 'utf8')
    signature = readFileSync(join(directory, SIGNATURE_FILE), 'utf8').trim()
  } catch {
    return no(
      directory + ' is not a whole backup: it lacks ' + MANIFEST_FILE + ' or its signature.',
    )
  }
  if (keys !== null) {
    const unsigned = signatureProblem(text, signature, keys)
    if (unsigned !== null) return no(directory + ': ' + unsigned)
  }
  const manifest = parsed(text)
  if (manifest === null) return no(directory + '/' + MANIFEST_FILE + ' cannot be read.')
  if (manifest.format !== FORMAT && manifest.format !== SHARDS_FORMAT)
    return no(
      'The backup has format ' + manifest.format + '; this version reads ' + SHARDS_FORMAT + '.',
    )
  if (!hasShape(MANIFEST, manifest)) return no(directory + '/' + MANIFEST_FILE + ' cannot be read.')
  return { ok: true, value: manifest }
}

function no(error: string): { ok: false; error: string } {
  return { ok: false, error }
}

function parsed(text: string): { format?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}

function signatureProblem(text: string, signature: string, keys: MasterKeys): string | null {
  const [id = '', hex = ''] = signature.split(':')
  const key = keys.find((candidate) => candidate.id === id)
  if (key === undefined)
    return 'it was signed under master key ' + JSON.stringify(id) + ', which is not given.'
  const expected = hmac(key.bytes, text)
  const given = Buffer.from(hex, 'hex')
  const same = given.length === expected.length && timingSafeEqual(given, expected)
  return same ? null : 'its list does not carry the signature of master key ' + id + '.'
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(text).digest()
}

/** Size and SHA-256 of a file below `directory`. */
export async function describeFile(directory: string, path: string): Promise<BackupFile> {
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(join(directory, path))) {
    digest.update(chunk)
    bytes += chunk.length
  }
  return { path, bytes, sha256: digest.digest('hex') }
}

/** Returns a sentence for each file that is missing, cut or changed. */
export async function fileProblems(directory: string, manifest: Manifest): Promise<string[]> {
  const problems: string[] = []
  for (const file of manifest.files) {
    const { path } = file
    if (path.startsWith('/') || normalize(path) !== path || path.startsWith('..')) {
      problems.push(JSON.stringify(path) + ' is not a path below the backup')
      continue
    }
    const stats = statSync(join(directory, path), { throwIfNoEntry: false })
    if (stats === undefined) problems.push(path + ' is missing')
    else if (stats.size !== file.bytes)
      problems.push(path + ' has ' + stats.size + ' bytes instead of ' + file.bytes)
    else if ((await describeFile(directory, path)).sha256 !== file.sha256)
      problems.push(path + ' was changed')
  }
  const listed = new Set(manifest.files.map(({ path }) => path))
  for (const { file } of manifest.database.tables)
    if (!listed.has(file)) problems.push(file + ' is not among the files')
  return problems
}
