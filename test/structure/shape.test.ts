import { test } from 'tap'
import ts from 'typescript'
import { exempt } from './exemptions.ts'
import { SOURCES, type Source } from './sources.ts'

const LINES_MAX = 60
const PARAMETERS_MAX = 4
const NESTING_MAX = 3

const PRODUCT = SOURCES.filter((source) => !/^(test|bench)\//.test(source.path))
const TREES = new Map(
  PRODUCT.map((source) => [
    source,
    ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true),
  ]),
)

interface FunctionShape {
  name: string
  /** Number of lines, without those of named functions inside it. */
  lines: number
  parameters: number
  nesting: number
}

type FunctionNode = ts.SignatureDeclaration & { body: ts.Node }

function isFunction(node: ts.Node): node is FunctionNode {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined
}

function linesOf(node: ts.Node): number {
  const tree = node.getSourceFile()
  const [from, to] = [node.getStart(), node.end].map(
    (at) => tree.getLineAndCharacterOfPosition(at).line,
  )
  return (to ?? 0) - (from ?? 0) + 1
}

function nameOf(node: FunctionNode): string | null {
  if (node.name !== undefined) return node.name.getText()
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : null
}

/** True for statements that make a reader remember a condition; `try` is none of them. */
function nests(node: ts.Node): boolean {
  if (ts.isIfStatement(node))
    return !(ts.isIfStatement(node.parent) && node.parent.elseStatement === node)
  return ts.isIterationStatement(node, false) || ts.isSwitchStatement(node)
}

function shapesIn(tree: ts.SourceFile): FunctionShape[] {
  const shapes: FunctionShape[] = []
  const visit = (node: ts.Node, around: FunctionShape | null, depth: number): void => {
    let [shape, deep] = [around, depth]
    if (isFunction(node)) {
      const name = nameOf(node)
      const lines = linesOf(node)
      if (around !== null && name !== null) around.lines -= lines
      shape = { name: name ?? 'a function', lines, parameters: node.parameters.length, nesting: 0 }
      shapes.push(shape)
      deep = 0
    } else if (nests(node)) {
      deep += 1
      if (shape !== null) shape.nesting = Math.max(shape.nesting, deep)
    }
    ts.forEachChild(node, (child) => visit(child, shape, deep))
  }
  visit(tree, null, 0)
  return shapes
}

function shapesBeyond(rule: string, beyond: (shape: FunctionShape) => boolean): string[] {
  return PRODUCT.flatMap((source) =>
    shapesIn(TREES.get(source) as ts.SourceFile)
      .filter(beyond)
      .filter((shape) => !exempt(source.path, rule, shape.name))
      .map((shape) => source.path + ': ' + shape.name + ' ' + JSON.stringify(shape)),
  )
}

test('functions are short, take few arguments and nest little', (t) => {
  t.same(
    shapesBeyond('lines', (shape) => shape.lines > LINES_MAX),
    [],
    'carve out what has a name of its own',
  )
  t.same(
    shapesBeyond('parameters', (shape) => shape.parameters > PARAMETERS_MAX),
    [],
    'what belongs together becomes one object',
  )
  t.same(
    shapesBeyond('nesting', (shape) => shape.nesting > NESTING_MAX),
    [],
    'leave early, or carve out the inner part',
  )
  t.end()
})

interface Exported {
  source: Source
  name: string
  documented: boolean
  isFunction: boolean
}

function exportsOf(source: Source): Exported[] {
  const tree = TREES.get(source) as ts.SourceFile
  return tree.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
    if (!modifiers.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)) return []
    const documented = ts.getJSDocCommentsAndTags(statement).length > 0
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map((declaration) => ({
        source,
        name: declaration.name.getText(),
        documented,
        isFunction: false,
      }))
    }
    const isFunction = ts.isFunctionDeclaration(statement)
    if (!isFunction && !ts.isClassDeclaration(statement)) return []
    return [{ source, name: statement.name?.getText() ?? '', documented, isFunction }]
  })
}

const EXPORTS = PRODUCT.flatMap(exportsOf)

test('every exported function of engine and shared has a docstring', (t) => {
  const silent = EXPORTS.filter(
    ({ source, isFunction, documented }) =>
      isFunction && !documented && /^(engine|shared)\//.test(source.path),
  )
  t.ok(EXPORTS.length > 500)
  t.same(
    silent.map(({ source, name }) => source.path + ': ' + name),
    [],
  )
  t.end()
})

test('every export is used by another file', (t) => {
  const users = new Map<string, Set<string>>()
  for (const source of SOURCES) {
    for (const [word] of source.text.matchAll(/\b[A-Za-z]\w*\b/g)) {
      const paths = users.get(word) ?? new Set()
      users.set(word, paths.add(source.path))
    }
  }
  t.same(
    EXPORTS.filter(({ name }) => (users.get(name)?.size ?? 0) < 2).map(
      ({ source, name }) => source.path + ': ' + name,
    ),
    [],
  )
  t.end()
})
