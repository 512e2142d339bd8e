import { parseSync } from 'oxc-parser'
import { childrenOf, isSyntaxNode, lineOf, type Node } from '../lib/syntax-tree.ts'
import type { Repeat } from './bounds.ts'

/** Minimum length of a list of words. Shorter lists are often equal by chance. */
const minWords = 3

/** Map from each list of words to the place that defines it. The key of a list consists of its words. */
export type Vocabulary = ReadonlyMap<string, Readonly<{ file: string; line: number }>>

function keyOf(words: readonly string[]): string {
  return [...new Set(words)].sort().join(' ')
}

function textOf(node: unknown): string | undefined {
  return isSyntaxNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function all(words: readonly (string | undefined)[]): readonly string[] | undefined {
  return words.length >= minWords && words.every((word) => word !== undefined) ? (words as readonly string[]) : undefined
}

/** Returns the words of a list (`['a', 'b', 'c']`) or of a union type (`'a' | 'b' | 'c'`). */
function wordsOf(node: Node): readonly string[] | undefined {
  if (node.type === 'ArrayExpression') return all((node.elements as unknown[]).map(textOf))
  if (node.type === 'TSUnionType') return all((node.types as Node[]).map((type) => textOf(type.literal)))
  return undefined
}

/** Returns the lists in an SQL statement: `in ('a', 'b', 'c')`. */
function listsIn(node: Node): readonly (readonly string[])[] {
  const text = node.type === 'TemplateElement' ? String((node.value as { cooked: string | null }).cooked ?? '') : undefined
  return [...(text ?? '').matchAll(/'\w+'(?:, '\w+')+/g)].map(([list]) => list.split(', ').map((word) => word.slice(1, -1)))
}

function* nodesOf(node: Node): Generator<Node> {
  yield node
  for (const child of childrenOf(node)) yield* nodesOf(child)
}

function parse(file: string, text: string): Node {
  return parseSync(file, text).program as unknown as Node
}

function listOf(node: unknown): Node | undefined {
  const list = isSyntaxNode(node) && node.type === 'TSAsExpression' ? node.expression : node
  return isSyntaxNode(list) && list.type === 'ArrayExpression' ? list : undefined
}

/** Returns all lists of words that the contract defines, as constants or as values of schemas. */
export function collectContractWords(sources: readonly Readonly<{ file: string; text: string }>[]): Vocabulary {
  const lists = sources.flatMap(({ file, text }) =>
    [...nodesOf(parse(file, text))].flatMap((node) => {
      const isSchema = node.type === 'CallExpression' && isSyntaxNode(node.callee) && node.callee.name === 'stringEnum'
      const isConstant = node.type === 'VariableDeclarator'
      const list = isSchema ? listOf((node.arguments as Node[])[0]) : isConstant ? listOf(node.init) : undefined
      const name = isConstant ? String((node.id as Node).name) : ''
      return list ? [{ name, list, file, line: lineOf(text, list) }] : []
    }),
  )
  const wordsIn = (list: Node): readonly (string | undefined)[] =>
    (list.elements as unknown[]).flatMap((element) => {
      if (!isSyntaxNode(element) || element.type !== 'SpreadElement') return [textOf(element)]
      const taken = lists.find(({ name }) => name === (element.argument as Node).name)
      return taken ? wordsIn(taken.list) : [undefined]
    })
  const vocabulary = new Map<string, { file: string; line: number }>()
  for (const { list, file, line } of lists) {
    const words = all(wordsIn(list))
    const key = words && keyOf(words)
    if (key && !vocabulary.has(key)) vocabulary.set(key, { file, line })
  }
  return vocabulary
}

/** True if the node is `Math.exp`. Only the formula for the value of a challenge uses `Math.exp`. */
function isFormula(node: Node): boolean {
  return (
    node.type === 'MemberExpression' &&
    isSyntaxNode(node.object) &&
    node.object.name === 'Math' &&
    isSyntaxNode(node.property) &&
    node.property.name === 'exp'
  )
}

function startOf(node: Node): string | undefined {
  if (node.type === 'TemplateLiteral') return (node.quasis as { value: { raw: string } }[])[0]?.value.raw
  return textOf(node)
}

/** Returns the places where a file repeats lists of words, addresses or formulas of the contract. */
export function findRepeatedFacts(file: string, text: string, vocabulary: Vocabulary): Repeat[] {
  const found: Repeat[] = []
  for (const node of nodesOf(parse(file, text))) {
    const line = lineOf(text, node)
    for (const words of [wordsOf(node) ?? [], ...listsIn(node)]) {
      const home = vocabulary.get(keyOf(words))
      if (home && !(home.file === file && home.line === line))
        found.push({ line, fault: `${words.join(', ')}: these words are defined in ${home.file}:${home.line}` })
    }
    if (isFormula(node) && file !== 'services/contract/src/score.ts')
      found.push({ line, fault: 'the value of a challenge is computed in services/contract/src/score.ts' })
    if (/^\/assets\//.test(startOf(node) ?? '') && file !== 'services/contract/src/asset-address.ts')
      found.push({ line, fault: 'addresses of files are built in services/contract/src/asset-address.ts' })
  }
  return found
}
