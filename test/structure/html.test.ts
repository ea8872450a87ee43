// HTML templates insert values only where escaping makes them safe.
import { test } from 'tap'
import ts from 'typescript'
import { html, url } from '../../shared/html.ts'
import { SOURCES } from './sources.ts'

/** Attributes that hold an address: `url(…)`, or text after a path of ours. */
const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'poster'])
const FIXED_START = /^(?:\/[\w-]|#)/

interface Place {
  /** `text`, `tag`, `raw` (script, style, comment), or the name of a quoted attribute. */
  at: string
  quote: string
  /** Text of the attribute before this place. */
  before: string
  raw: string
}

/** Moves a place over literal text. */
function moved(start: Place, text: string): Place {
  const place = { ...start }
  let name = ''
  for (let index = 0; index < text.length; index++) {
    const rest = text.slice(index)
    const character = text[index] ?? ''
    if (place.at === 'raw') {
      if (rest.startsWith(place.raw))
        Object.assign(place, { at: place.raw === '-->' ? 'text' : 'tag', raw: '' })
    } else if (place.at === 'text') {
      const raw = /^<(script|style)\b/.exec(rest)?.[1]
      if (rest.startsWith('<!--')) Object.assign(place, { at: 'raw', raw: '-->' })
      else if (/^<[a-z/!]/i.test(rest)) Object.assign(place, { at: 'tag', raw: raw ?? '' })
    } else if (place.at === 'tag') {
      if (character === '>')
        Object.assign(
          place,
          place.raw === '' ? { at: 'text' } : { at: 'raw', raw: '</' + place.raw },
        )
      else if (character === '"' && name.endsWith('='))
        Object.assign(place, { at: name.slice(0, -1).toLowerCase(), quote: '"', before: '' })
      name = /[\s">]/.test(character) ? '' : name + character
    } else if (character === place.quote) {
      Object.assign(place, { at: 'tag', quote: '' })
      name = ''
    } else place.before += character
  }
  return place
}

function isSafe({ at, before }: Place, value: ts.Expression): boolean {
  if (at === 'text') return true
  if (at === 'tag' || at === 'raw' || at === 'style' || at.startsWith('on')) return false
  if (!ADDRESSES.has(at)) return true
  const isUrl = ts.isCallExpression(value) && value.expression.getText() === 'url'
  return before === '' ? isUrl : FIXED_START.test(before)
}

function unsafeIn(path: string, text: string): string[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const unsafe: string[] = []
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isTaggedTemplateExpression(node) || node.tag.getText() !== 'html') return
    if (!ts.isTemplateExpression(node.template)) return
    const { head, templateSpans } = node.template
    let place = moved({ at: 'text', quote: '', before: '', raw: '' }, head.text)
    for (const { expression, literal } of templateSpans) {
      if (!isSafe(place, expression))
        unsafe.push(path + ': ' + place.at + ' holds ' + expression.getText())
      place = moved(
        place.quote === '' ? place : { ...place, before: place.before + '…' },
        literal.text,
      )
    }
  }
  visit(tree)
  return unsafe
}

test('values stand in text and quoted attributes only, and addresses come from url()', (t) => {
  const pages = SOURCES.filter(({ text }) => text.includes('html`'))
  t.ok(pages.length > 15)
  t.same(
    pages
      .filter(({ path }) => path !== 'test/structure/html.test.ts')
      .flatMap(({ path, text }) => unsafeIn(path, text)),
    [],
  )
  t.end()
})

test('the rule finds every unsafe place', (t) => {
  const cases = {
    '<p>${a}</p>': 0,
    '<p class="b ${a}">${a}</p>': 0,
    '<a href="${url(a)}">': 0,
    '<a href="/x?y=${a}">': 0,
    '<a href="${a}">': 1,
    '<a href="//${a}">': 1,
    '<a href="${a}/b">': 1,
    '<p class=${a}>': 1,
    '<p ${a}>': 1,
    '<p onclick="f(${a})">': 1,
    '<p style="width: ${a}">': 1,
    '<script>${a}</script>': 1,
    '<style>${a}</style><p>${a}</p>': 1,
    '<!-- ${a} -->': 1,
  }
  for (const [template, count] of Object.entries(cases))
    t.equal(unsafeIn('case', 'html`' + template + '`').length, count, template)
  t.end()
})

test('every value is escaped once, and unsafe addresses throw', (t) => {
  const hostile = '<b a="\'">&'
  t.equal(
    html`<p title="${hostile}">${[hostile, 1, null]}</p>`.text,
    html`${html`<p title="${hostile}">${hostile}1</p>`}`.text,
  )
  t.equal(html`${hostile}`.text, '&lt;b a=&quot;&#39;&quot;&gt;&amp;')
  for (const good of [
    '/a?b=1&c',
    '../wallets/apple',
    '#a',
    'https://a.example',
    'http://localhost:1/',
    'http://127.0.0.1:80',
    'data:image/png;base64,AA==',
  ])
    t.equal(html`${url(good)}`.text, good.replace('&', '&amp;'))
  for (const bad of [
    'javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    'http://evil.example',
    ' javascript:x',
    '/\t/evil',
    'data:text/html,x',
    'http://127.0.0.1.evil.example',
    'http://localhost@evil.example',
    '',
  ])
    t.throws(() => url(bad), bad)
  t.end()
})
