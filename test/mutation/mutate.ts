// Small wrong changes of a source file, one at a time, like slips of the hand. They are found in
// the syntax tree, so that a mutant always parses. Texts of failures stay unchanged, and so do
// assertions: they state impossible cases, so no test could notice the loss of one.
import ts from 'typescript'

export interface SourceMutant {
  /** Place of the changed text, and its replacement. */
  from: number
  to: number
  before: string
  after: string
  line: number
  column: number
  /** Which of several equal texts on the line, from the left: 1 is the first. */
  nth: number
}

const SWAPS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
])

/** Every mutant of a file, in the order of its text. */
export function mutantsOf(path: string, text: string): readonly SourceMutant[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: SourceMutant[] = []
  const add = (node: ts.Node, after: string): void => {
    const from = node.getStart(tree)
    const to = node.getEnd()
    const { line, character } = tree.getLineAndCharacterOfPosition(from)
    const place = { from, to, line: line + 1, column: character + 1 }
    found.push({ ...place, before: text.slice(from, to), after, nth: 1 })
  }
  const visit = (node: ts.Node, inFunction: boolean): void => {
    if (isWording(node) || ts.isTypeNode(node) || ts.isImportDeclaration(node)) return
    if (inFunction) mutateNode(node, add)
    ts.forEachChild(node, (child) => visit(child, inFunction || ts.isFunctionLike(node)))
  }
  visit(tree, false)
  return found.map((mutant) => ({ ...mutant, nth: 1 + countLeft(found, mutant) }))
}

function countLeft(
  all: readonly SourceMutant[],
  { from, line, before, after }: SourceMutant,
): number {
  const alike = (other: SourceMutant): boolean =>
    other.line === line && other.before === before && other.after === after
  return all.filter((other) => other.from < from && alike(other)).length
}

/** The text with one mutant in it. */
export function applied(text: string, mutant: SourceMutant): string {
  return text.slice(0, mutant.from) + mutant.after + text.slice(mutant.to)
}

function mutateNode(node: ts.Node, add: (node: ts.Node, after: string) => void): void {
  if (ts.isBinaryExpression(node)) {
    const swapped = SWAPS.get(node.operatorToken.kind)
    if (swapped !== undefined && !joinsText(node)) add(node.operatorToken, swapped)
  } else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false')
  else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true')
  else if (ts.isNumericLiteral(node)) add(node, String(Number(node.text.replaceAll('_', '')) + 1))
  else if (ts.isExpressionStatement(node) && changesSomething(node.expression)) add(node, ';')
  else if (ts.isIfStatement(node) && !ts.isBinaryExpression(node.expression))
    add(node.expression, '!(' + node.expression.getText() + ')')
}

/** True for a call or an assignment whose absence a test could notice. */
function changesSomething(expression: ts.Expression): boolean {
  if (isWording(expression)) return false
  return (
    ts.isCallExpression(expression) ||
    ts.isPostfixUnaryExpression(expression) ||
    (ts.isBinaryExpression(expression) &&
      expression.operatorToken.kind === ts.SyntaxKind.EqualsToken)
  )
}

function joinsText(node: ts.BinaryExpression): boolean {
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return false
  return [node.left, node.right].some(
    (side) => ts.isStringLiteralLike(side) || (ts.isBinaryExpression(side) && joinsText(side)),
  )
}

function isWording(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false
  return /^(assert|AssertionFailure|Error)$/.test(node.expression.getText())
}
