// The search over a tree of pages: every section with an anchor is an entry. The first search makes
// the index from the pages themselves, so that it is complete.
import { type Html, html, url } from '../../shared/html.ts'
import type { Page } from './pages/layout.ts'
import type { Site } from './pages/site.ts'

const HITS_MAX = 40
const EXCERPT_CHARACTERS = 180

interface Entry {
  href: string
  title: string
  page: string
  /** Lower-case: the anchor and the title, and the whole text. */
  id: string
  name: string
  text: string
  shown: string
}

export interface SearchHit {
  href: string
  title: string
  page: string
  excerpt: string
}

const ANCHOR = /<(h1|h2|h3|section|tr)\b[^>]*?\sid="([^"]+)"[^>]*>/g
const NOT_TEXT = /<pre[\s\S]*?<\/pre>/g
const TITLE = /<(?:h1|h2|h3|th)\b[^>]*>([\s\S]*?)<\/(?:h1|h2|h3|th)>/

/** Finds sections of a site, best first. */
export function createSearch(site: Site): (query: string) => SearchHit[] {
  let entries: readonly Entry[] | null = null
  return (query) => {
    entries ??= [...site.pages.values()].flatMap((make) => entriesOf(make()))
    const whole = query.trim().toLowerCase()
    const words = whole.split(/[\s,;]+/).filter((word) => word !== '')
    if (words.length === 0) return []
    return entries
      .map((entry) => ({ entry, score: scoreOf(entry, words, whole) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.entry.text.length - b.entry.text.length)
      .slice(0, HITS_MAX)
      .map(({ entry: { href, title, page, shown, text } }) => ({
        href,
        title,
        page,
        excerpt: excerptOf(shown, text, words),
      }))
  }
}

function entriesOf({ path, title, body }: Page): Entry[] {
  const text = body.text.replaceAll(NOT_TEXT, ' ')
  const marks = [...text.matchAll(ANCHOR)]
  const sections = marks.map((mark, index) => {
    const part = text.slice(mark.index, marks[index + 1]?.index)
    const own =
      mark[1] === 'section' || mark[1] === 'tr' ? part : mark[0] + part.slice(mark[0].length)
    const heading = plain(TITLE.exec(own)?.[1] ?? '')
    return entryOf(
      path + '#' + mark[2],
      heading === '' ? (mark[2] ?? '') : heading,
      title,
      plain(part),
    )
  })
  return [entryOf(path, title, title, plain(text.slice(0, marks[0]?.index))), ...sections]
}

function entryOf(href: string, title: string, page: string, shown: string): Entry {
  const id = (href.split('#')[1] ?? href.slice(href.lastIndexOf('/') + 1)).toLowerCase()
  return { href, title, page, id, name: title.toLowerCase(), text: shown.toLowerCase(), shown }
}

const ENTITIES: { readonly [entity: string]: string } = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function plain(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** 0 where a word is nowhere. An exact name counts most, then a title, then the text. */
function scoreOf({ id, name, text }: Entry, words: readonly string[], whole: string): number {
  let score = 0
  for (const word of words) {
    const stem = word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word
    const found =
      (id.includes(stem) ? 40 : 0) + (name.includes(stem) ? 30 : 0) + (text.includes(stem) ? 5 : 0)
    if (found === 0) return 0
    score += found
  }
  if (id === whole || name === whole || id.endsWith('-' + whole)) score += 1000
  else if (id.startsWith(whole) || name.startsWith(whole)) score += 200
  else if (name.includes(whole)) score += 100
  else if (text.includes(whole)) score += 20
  return score
}

function excerptOf(shown: string, text: string, words: readonly string[]): string {
  const at = Math.max(0, text.indexOf(words[0] ?? '') - 60)
  const cut = shown.slice(at, at + EXCERPT_CHARACTERS)
  return (at > 0 ? '… ' : '') + cut + (at + EXCERPT_CHARACTERS < shown.length ? ' …' : '')
}

/** The page of results. */
export function searchPage(root: string, query: string, hits: readonly SearchHit[]): Page {
  const body = html`<h1>Search</h1>
${query.trim() === '' ? html`<p class="lead">Search operations, fields, errors, events, reasons and guides.</p>` : resultList(query, hits)}`
  return { path: root + '/search', title: 'Search', body }
}

function resultList(query: string, hits: readonly SearchHit[]): Html {
  if (hits.length === 0)
    return html`<p class="lead">Nothing has all words of “${query}”. Try fewer or shorter words.</p>`
  return html`<ol class="results">${hits.map(
    ({ href, title, page, excerpt }) =>
      html`<li><a href="${url(href)}">${title}</a> <span class="type">${page}</span><p>${excerpt}</p></li>`,
  )}</ol>`
}
