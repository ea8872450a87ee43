// Keys of config records: whatever ids contain, no two rows share a key, except a subject and its
// controls.

import { test } from 'tap'
import {
  configKey,
  META_KEY,
  partsOf,
  type RowKind,
  rowKey,
} from '../../engine/config-cache/keys.ts'
import type { ConfigType } from '../../shared/wire/config-records.ts'
import { fc } from '../harness/properties.ts'

const KINDS: readonly RowKind[] = [
  'subject',
  'token',
  'fp',
  'root',
  'network_key',
  'endpoint',
  'fx_rate',
  'authentication',
  'wallet_token',
]

test('every row has a key of its own', (t) => {
  const id = fc.string({ unit: fc.constantFrom(':', 'a', ...KINDS) })
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), id, (kind, named) => {
      const parts = partsOf(rowKey(kind, named))
      return parts?.[0] === kind && parts[1] === named
    }),
  )
  t.equal(partsOf(META_KEY), null)
  t.end()
})

test('a subject and its controls share a row; every other record is a row of its type', (t) => {
  const types: readonly ConfigType[] = ['program', 'cardholder', 'card', 'controls']
  for (const type of types) t.equal(configKey(type, 'x'), rowKey('subject', 'x'), type)
  const others = ['root', 'network_key', 'endpoint', 'fx_rate', 'authentication', 'wallet_token']
  for (const type of others as ConfigType[]) t.equal(configKey(type, 'x'), type + ':x')
  t.end()
})
