import { parseSync } from 'oxc-parser'
import { childrenOf, isSyntaxNode, lineOf, type Node } from '../lib/syntax-tree.ts'

/** Place where the code repeats a fact that is defined in another module. */
export type Repeat = Readonly<{
  line: number
  fault: string
}>

/** Names of properties that set an input limit in a schema or an operation. */
const bounds = new Set([
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'maxBytes', 'maxValues'],
])

/** Functions of the web client that check whether an entered number is in a range. */
const judges = new Set(['isIntegerTextBetween', 'isNumberTextBetween'])

/** Numbers that the check does not report, because they have an obvious meaning. */
const harmless = new Set([0, 1, 100])

function nameOf(node: unknown): string {
  return isSyntaxNode(node)
    ? String((node.type === 'Literal' ? node.value : node.type === 'MemberExpression' ? '' : node.name) ?? '')
    : ''
}

/**
 * Returns the first number of an expression such as `-1` or `64 * 1024`, without its sign.
 * @returns undefined for any other node
 */
function numberOf(node: unknown): number | undefined {
  if (!isSyntaxNode(node)) return undefined
  if (node.type === 'JSXExpressionContainer') return numberOf(node.expression)
  if (node.type === 'Literal') return typeof node.value === 'number' ? node.value : undefined
  if (node.type === 'UnaryExpression') return numberOf(node.argument)
  if (node.type !== 'BinaryExpression') return undefined
  const left = numberOf(node.left)
  return left === undefined || numberOf(node.right) === undefined ? undefined : left
}

/** True if an expression is the length of a text in code points. */
function isTextLength(node: unknown): boolean {
  if (!isSyntaxNode(node)) return false
  if (node.type === 'Identifier') return /[a-z]Length$/.test(nameOf(node))
  if (node.type === 'CallExpression') return nameOf(node.callee) === 'lengthOf'
  if (node.type !== 'MemberExpression' || nameOf(node.property) !== 'length' || !isSyntaxNode(node.object)) return false
  return (
    node.object.type === 'ArrayExpression' &&
    (node.object.elements as unknown[]).some((one) => isSyntaxNode(one) && one.type === 'SpreadElement')
  )
}

function boundOf(node: Node): boolean {
  switch (node.type) {
    case 'Property':
      return bounds.has(nameOf(node.key)) && numberOf(node.value) !== undefined
    case 'JSXAttribute': {
      const [name, value] = [nameOf(node.name), numberOf(node.value)]
      if (value === undefined) return false
      return name === 'maxLength' || name === 'minLength' || ((name === 'min' || name === 'max') && !harmless.has(value))
    }
    case 'CallExpression':
      return (
        judges.has(nameOf(node.callee)) &&
        (node.arguments as unknown[]).map(numberOf).some((one) => one !== undefined && !harmless.has(one))
      )
    case 'BinaryExpression': {
      if (!/^[<>]=?$/.test(String(node.operator))) return false
      const value = numberOf(node.left) ?? numberOf(node.right)
      return value !== undefined && value > 1 && (isTextLength(node.left) || isTextLength(node.right))
    }
    case 'VariableDeclarator':
      return /^max\w*Length$/.test(nameOf(node.id)) && numberOf(node.init) !== undefined
    default:
      return false
  }
}

/** Returns each input limit that the code writes as a number, such as `maxLength: 32`. */
export function findHardCodedLimits(file: string, text: string): Repeat[] {
  const found: Repeat[] = []
  const visit = (node: Node): void => {
    if (boundOf(node))
      found.push({
        line: lineOf(text, node),
        fault: `${text.slice(node.start, node.end).split('\n', 1)[0]} is a limit: define it in limits.ts`,
      })
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseSync(file, text).program as unknown as Node)
  return found
}
