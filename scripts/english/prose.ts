import { parseSync } from 'oxc-parser'
import { childrenOf, isSyntaxNode, lineOf, type Node } from '../lib/syntax-tree.ts'

/** Text that readers see, with the line where it starts. */
export type Prose = Readonly<{
  line: number
  text: string
  /** True if the text is a doc comment. */
  isDoc: boolean
}>

const testFunctions = new Set(['it', 'test', 'describe'])

/** Returns the called function of `test.each(…)(…)`, here `test`. */
function calledName(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined
  if (node.type === 'Identifier') return String(node.name)
  return calledName(node.type === 'MemberExpression' ? node.object : node.type === 'CallExpression' ? node.callee : undefined)
}

function textOf(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  return (node.quasis as { readonly value: { readonly cooked: string } }[]).map(({ value }) => value.cooked).join(' ')
}

function titleOf(node: Node): string | undefined {
  return node.type === 'CallExpression' && testFunctions.has(calledName(node.callee) ?? '')
    ? textOf((node.arguments as unknown[])[0])
    : undefined
}

function plainComment(value: string): string {
  return value.replaceAll(/^[ \t]*\*+ ?/gm, '').trim()
}

/** Returns the comments and test titles of a module. If `isCatalog` is true, also returns all other texts. */
export function proseOfCode(file: string, source: string, { isCatalog = false } = {}): Prose[] {
  const { program, comments } = parseSync(file, source)
  const lineAt = (start: number): number => source.slice(0, start).split('\n').length
  const found: Prose[] = comments.map(({ value, start }) => ({
    line: lineAt(start),
    text: plainComment(value),
    isDoc: value.startsWith('*'),
  }))
  const visit = (node: Node): void => {
    if (node.type === 'ImportDeclaration') return
    const text = titleOf(node) ?? (isCatalog ? textOf(node) : undefined)
    if (text !== undefined) found.push({ line: lineOf(source, node), text, isDoc: false })
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program as unknown as Node)
  return found
}

/** Returns the lines of a document outside of code blocks. */
export function proseOfDocument(source: string): Prose[] {
  let isCode = false
  return source.split('\n').flatMap((text, index) => {
    const isFence = /^\s*```/.test(text)
    if (isFence) isCode = !isCode
    return isCode || isFence || text.trim() === '' ? [] : [{ line: index + 1, text, isDoc: false }]
  })
}
