// The language rules of CONTRIBUTING.md that a machine can hold: the beginnings of sentences in
// comments and test names, and the width of comments.
import { test } from 'tap'
import ts from 'typescript'
import { SOURCES, type Source } from './sources.ts'

const COLUMNS_MAX = 100
const CLAUSE = /^(what|who|whose|whom|whoever|whatever|of|so|that)\b/i
const CITATION = /^(Chosen: |Spec [\d.]+: ?|Authorization [\d.]+: ?)/

/**
 * Clauses that still wait for their revision, by top folder. Lower a bound with each revision, to 0
 * at the end.
 */
const WAITING_MAX: { readonly [folder: string]: number } = {
  engine: 0,
  api: 0,
  client: 0,
  shared: 0,
  scripts: 0,
  bench: 0,
  test: 0,
}

interface Comment {
  line: number
  text: string
}

function commentsOf({ path, text }: Source): Comment[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const ranges = new Map<number, ts.CommentRange>()
  const collect = (found: ts.CommentRange[] | undefined): void => {
    for (const range of found ?? []) ranges.set(range.pos, range)
  }
  const visit = (node: ts.Node): void => {
    collect(ts.getLeadingCommentRanges(text, node.pos))
    collect(ts.getTrailingCommentRanges(text, node.end))
    for (const child of node.getChildren(tree)) visit(child)
  }
  visit(tree)
  const comments: (Comment & { lastLine: number })[] = []
  for (const { pos, end } of [...ranges.values()].sort((one, other) => one.pos - other.pos)) {
    const raw = text.slice(pos, end)
    const line = tree.getLineAndCharacterOfPosition(pos).line
    const lastLine = tree.getLineAndCharacterOfPosition(end).line
    const words = raw.replace(/^\/\/|^\/\*+|\*\/$/g, '').replace(/^\s*\* ?/gm, '')
    const before = comments.at(-1)
    if (raw.startsWith('//') && before !== undefined && before.lastLine === line - 1) {
      before.text += ' ' + words.trim()
      before.lastLine = lastLine
    } else comments.push({ line, lastLine, text: words.replace(/\s+/g, ' ').trim() })
  }
  return comments
}

function clausesOf(source: Source): string[] {
  const sentences = commentsOf(source).flatMap(({ line, text }) =>
    text
      .split(/(?<=[.!?:])\s+(?=[A-Z`“"(])/)
      .filter((sentence) => CLAUSE.test(sentence.replace(CITATION, '')))
      .map((sentence) => source.path + ':' + (line + 1) + ': ' + sentence.slice(0, 60)),
  )
  const names = [...source.text.matchAll(/\btest\(\s*(['"`])((?:(?!\1).)*)\1/g)]
    .map(([, , name = '']) => name)
    .filter((name) => CLAUSE.test(name))
    .map((name) => source.path + ': ' + name)
  return [...sentences, ...names]
}

test('no folder gains a sentence or a test name that begins with a clause', (t) => {
  const clauses = SOURCES.flatMap(clausesOf)
  const byFolder = Map.groupBy(clauses, (clause) => clause.split('/')[0] ?? '')
  for (const [folder, most] of Object.entries(WAITING_MAX)) {
    const found = byFolder.get(folder) ?? []
    t.ok(found.length <= most, folder + ': ' + found.length + ' of ' + most, { found })
  }
  t.same(
    [...byFolder.keys()].filter((folder) => !(folder in WAITING_MAX)),
    [],
  )
  t.end()
})

test('no line of a comment is wider than 100 columns', (t) => {
  const wide = SOURCES.filter(({ path }) => !path.startsWith('test/fixtures/')).flatMap(
    ({ path, text }) =>
      text
        .split('\n')
        .map((line, index) => ({ line, place: path + ':' + (index + 1) }))
        .filter(({ line }) => /^\s*(\/\/|\*|\/\*\*)/.test(line) && line.length > COLUMNS_MAX)
        .filter(({ line }) => !/[│─▶]|https?:|biome-ignore|\|.*\|/.test(line))
        .map(({ place }) => place),
  )
  t.same(wide, [])
  t.end()
})
