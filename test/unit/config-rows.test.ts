// The rows of the config cache alone: whatever changes come, a token leads to the card that took it
// last, in its present version.

import { test } from 'tap'
import { rowsOf } from '../../engine/config-cache/apply.ts'
import { configKey, fingerprintKey, tokenKey } from '../../engine/config-cache/keys.ts'
import type { Stored } from '../../engine/config-cache/stored.ts'
import type { ConfigChange } from '../../shared/wire/config-records.ts'
import { judgedConfig } from '../harness/judged.ts'
import { fc } from '../harness/properties.ts'

const CARDS = ['card_a', 'card_b']
const TOKENS = ['one', 'two']
const { card: base } = judgedConfig()

const changes = fc.array(
  fc.record({
    what: fc.constantFrom('card', 'controls', 'card removed', 'controls removed'),
    id: fc.constantFrom(...CARDS),
    token: fc.constantFrom(...TOKENS),
    version: fc.integer({ min: 1, max: 6 }),
    inSameBatch: fc.boolean(),
  }),
  { maxLength: 20 },
)

test('a token leads to the card that took it last, with its present controls', (t) => {
  fc.assert(
    fc.property(changes, (made) => {
      const rows = new Map<string, Stored>()
      const owners = new Map<string, string>()
      const tokens = new Map<string, string>()
      const versions = new Map<string, number>()
      let batch: ConfigChange[] = []
      for (const { what, id, token, version, inSameBatch } of made) {
        const [type = '', removed] = what.split(' ')
        if (version > (versions.get(type + id) ?? 0)) {
          versions.set(type + id, version)
          if (type === 'card') own(owners, tokens, id, removed === undefined ? token : null)
        }
        batch.push(changeOf(type, { id, token, version, removed: removed !== undefined }))
        if (inSameBatch) continue
        for (const [key, row] of rowsOf(batch, (key) => rows.get(key))) rows.set(key, row)
        batch = []
        expectOwners(rows, owners)
      }
    }),
  )
  t.end()
})

test('the newest version of any other record stays, also a removal', (t) => {
  const key = configKey('endpoint', 'we_1')
  const rows = new Map<string, Stored>()
  const steps: [version: number, removed: boolean, taken: boolean][] = [
    [0, false, true],
    [2, false, true],
    [1, false, false],
    [2, true, false],
    [3, true, true],
    [3, false, false],
    [4, false, true],
  ]
  for (const [version, removed, taken] of steps) {
    const named = { type: 'endpoint', id: 'we_1', version } as const
    const change = (removed ? { ...named, removed } : named) as ConfigChange
    const row: unknown = removed ? { type: 'removed', version } : change
    const put = rowsOf([change], (at) => rows.get(at))
    t.same([...put], taken ? [[key, row]] : [], [version, removed].join(' '))
    for (const [at, one] of put) rows.set(at, one)
  }
  t.end()
})

function own(
  owners: Map<string, string>,
  tokens: Map<string, string>,
  id: string,
  token: string | null,
): void {
  const before = tokens.get(id)
  if (before !== undefined && owners.get(before) === id) owners.delete(before)
  if (token === null) tokens.delete(id)
  else {
    tokens.set(id, token)
    owners.set(token, id)
  }
}

function changeOf(
  type: string,
  { id, token, version, removed }: { id: string; token: string; version: number; removed: boolean },
): ConfigChange {
  if (removed) return { type: type as 'card', id, version, removed }
  if (type === 'controls') return { type, id, version, scope: 'card', controls: [] }
  return { ...base, id, version, token, fingerprint: token }
}

function expectOwners(
  rows: ReadonlyMap<string, Stored>,
  owners: ReadonlyMap<string, string>,
): void {
  for (const token of TOKENS) {
    const owner = owners.get(token)
    const byToken = rows.get(tokenKey(token))
    const byNumber = rows.get(fingerprintKey(base.environment, token))
    if (owner === undefined) {
      if (byToken?.type === 'subject') throw new Error(token + ' leads to a card')
      if (byNumber?.type === 'pointer' && byNumber.cardId !== null)
        throw new Error(token + ' points at a card')
    } else {
      if (byToken === undefined || byToken !== rows.get(configKey('card', owner)))
        throw new Error(token + ' does not lead to ' + owner + ' as it is now')
      if (byNumber?.type !== 'pointer' || byNumber.cardId !== owner)
        throw new Error(token + ' does not point at ' + owner)
    }
  }
}
