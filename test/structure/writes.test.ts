// Every route that writes does so in exactly one write(): that is where its key is claimed and its
// approval used up.
import { test } from 'tap'
import ts from 'typescript'
import { ROUTES } from '../../api/routes.ts'
import { below } from './sources.ts'

/** Routes that take a body and change nothing, so that there is nothing to do twice. */
const READS: ReadonlySet<string> = new Set([
  'POST /v1/pass_templates/preview',
  'POST /v1/pass_templates/:id/preview',
  'POST /v1/cards/:id/evaluate',
])

const WRITES: ReadonlySet<string> = new Set(['write', 'writeConfirmed'])

/**
 * Every function of the rooms by name, with the names of what it calls. A name may stand in several
 * files.
 */
const CALLS = new Map<string, string[][]>()

const DOMAINS = ['access', 'billing', 'issuing', 'passes', 'payments', 'platform', 'webhooks']

for (const source of DOMAINS.flatMap((domain) => below('api/' + domain))) {
  const tree = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true)
  for (const statement of tree.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined)
      remember(statement.name.text, statement)
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer !== undefined && ts.isArrowFunction(initializer))
        remember(name.getText(), initializer)
  }
}

function remember(name: string, node: ts.Node): void {
  CALLS.set(name, [...(CALLS.get(name) ?? []), calledIn(node)])
}

/** Only one branch of `a ? write(…) : write(…)` counts; everywhere else each call does. */
function calledIn(node: ts.Node): string[] {
  if (ts.isConditionalExpression(node)) {
    const [first, second] = [node.whenTrue, node.whenFalse].map(calledIn)
    const either = first?.some((name) => WRITES.has(name))
    const rest = second?.filter((name) => !either || !WRITES.has(name))
    return [...calledIn(node.condition), ...(first ?? []), ...(rest ?? [])]
  }
  const called = ts.isCallExpression(node) && ts.isIdentifier(node.expression)
  const names = called ? [node.expression.text] : []
  ts.forEachChild(node, (inner) => void names.push(...calledIn(inner)))
  return names
}

/** Names that lead to a write() at all; the others are most, and call each other in many ways. */
const LEADING = new Set(WRITES)
for (let before = 0; before < LEADING.size; ) {
  before = LEADING.size
  for (const [name, ways] of CALLS)
    if (ways.some((called) => called.some((inner) => LEADING.has(inner)))) LEADING.add(name)
}

/** How many calls of write() stand in what this name runs, in the file where there are most. */
function writesOf(name: string, trail: readonly string[] = []): number {
  if (WRITES.has(name)) return 1
  if (!LEADING.has(name) || trail.includes(name)) return 0
  const sums = (CALLS.get(name) ?? []).map((called) =>
    called.reduce((sum, inner) => sum + writesOf(inner, [...trail, name]), 0),
  )
  return Math.max(0, ...sums)
}

test('every route that writes calls write() exactly once', (t) => {
  const writing = ROUTES.filter(({ method }) => method !== 'GET')
  t.ok(writing.length > 40 && CALLS.size > 200)
  const wrong = writing.flatMap((route) => {
    const name = route.method + ' ' + route.paths[0]
    const run = ts.createSourceFile('run.ts', '(' + route.run + ')', ts.ScriptTarget.Latest, true)
    const count = calledIn(run).reduce((sum, called) => sum + writesOf(called), 0)
    return count === (READS.has(name) ? 0 : 1) ? [] : [name + ' calls write() ' + count + ' times']
  })
  t.same(wrong, [])
  t.end()
})

test('no route that reads calls write()', (t) => {
  const wrong = ROUTES.filter(({ method }) => method === 'GET').filter((route) => {
    const run = ts.createSourceFile('run.ts', '(' + route.run + ')', ts.ScriptTarget.Latest, true)
    return calledIn(run).some((called) => writesOf(called) > 0)
  })
  t.same(
    wrong.map(({ paths }) => paths[0]),
    [],
  )
  t.end()
})
