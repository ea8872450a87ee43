import { isDeepStrictEqual } from 'node:util'
import { test } from 'tap'
import { arrayElements, arrayText } from '../../api/database/array-types.ts'
import { anyText } from '../harness/any-text.ts'
import { fc } from '../harness/properties.ts'

test('an array of any texts reads back as it was written', (t) => {
  const texts = fc.array(fc.option(anyText(100)), { maxLength: 20 })
  fc.assert(
    fc.property(texts, (list) => isDeepStrictEqual(arrayElements(arrayText(list), String), list)),
  )
  t.end()
})

test('arrays are read as PostgreSQL prints them', (t) => {
  t.strictSame(arrayElements('{}', String), [])
  t.strictSame(arrayElements('{1,NULL,-3}', Number), [1, null, -3])
  t.strictSame(arrayElements('{a,"b,c","","NULL","d\\"e\\\\"}', String), [
    'a',
    'b,c',
    '',
    'NULL',
    'd"e\\',
  ])
  t.equal(arrayText([true, 7, null, Buffer.from([255])]), '{"true",7,NULL,"\\\\xff"}')
  t.throws(() => arrayElements('{{1},{2}}', Number))
  t.end()
})
