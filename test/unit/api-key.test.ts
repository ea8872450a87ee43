import { test } from 'tap'
import { apiKeyHash, newApiKey, parseApiKey } from '../../shared/api-key.ts'

test('a key contains its role and environment, and parses only with its checksum', (t) => {
  const live = newApiKey('secret', 'live')
  t.match(live, /^svc_sk_live_[0-9A-Za-z]{49}$/)
  t.same(parseApiKey(live), { role: 'secret', environment: 'live' })
  t.same(parseApiKey(newApiKey('publishable', 'sandbox')), {
    role: 'publishable',
    environment: 'sandbox',
  })
  t.equal(apiKeyHash(live).length, 32)
  t.end()
})

test('every single wrong character is detected', (t) => {
  const key = newApiKey('secret', 'sandbox')
  const typos = Array.from({ length: key.length }, (_, at) => {
    const other = key[at] === 'a' ? 'b' : 'a'
    return key.slice(0, at) + other + key.slice(at + 1)
  })
  t.ok(typos.every((typo) => parseApiKey(typo) === null))
  t.equal(parseApiKey(key.replace('sandbox', 'live')), null)
  t.equal(parseApiKey(key + '\n'), null)
  t.equal(parseApiKey(''), null)
  t.end()
})

test('the characters of a key are equally likely', (t) => {
  const counts = new Map<string, number>()
  for (let round = 0; round < 2000; round++) {
    for (const character of newApiKey('secret', 'sandbox').slice(15, 15 + 43)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
  }
  // 86,000 draws over 62 characters: 1387 expected, a deviation of 20 % is eight sigma.
  t.equal(counts.size, 62)
  t.ok([...counts.values()].every((count) => Math.abs(count - 1387) < 280))
  t.end()
})
