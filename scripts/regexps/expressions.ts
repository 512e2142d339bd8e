import { parseSync } from 'oxc-parser'
import { childrenOf, isSyntaxNode, lineOf, type Node } from '../lib/syntax-tree.ts'

/** Regular expression in the code. `source` is the text that JavaScript compiles. */
type Expression = Readonly<{
  source: string
  flags: string
  line: number
}>

export type Found = Readonly<{
  expressions: readonly Expression[]
  /** Line numbers of `RegExp` calls with an argument that is not a literal. */
  madeLater: readonly number[]
}>

function textOf(node: unknown): string | undefined {
  return isSyntaxNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function regexOf(node: unknown): { pattern: string; flags: string } | undefined {
  return isSyntaxNode(node) && node.type === 'Literal'
    ? ((node.regex as { pattern: string; flags: string } | null | undefined) ?? undefined)
    : undefined
}

function nameOf(node: unknown): string | undefined {
  return isSyntaxNode(node) && node.type === 'Identifier' ? String(node.name) : undefined
}

/**
 * Returns the regular expressions of a file: literals, and calls of `RegExp` with a literal text. With `schemas`, also returns each
 * `pattern` of a JSON schema. The validator compiles such patterns with the flag `u`.
 */
export function findExpressions(file: string, text: string, { schemas }: { readonly schemas: boolean }): Found {
  const expressions: Expression[] = []
  const madeLater: number[] = []

  const visit = (node: Node): void => {
    const literal = regexOf(node)
    if (literal) expressions.push({ source: literal.pattern, flags: literal.flags, line: lineOf(text, node) })
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && nameOf(node.callee) === 'RegExp') {
      const [first, second] = node.arguments as readonly unknown[]
      const source = textOf(first) ?? regexOf(first)?.pattern
      const flags = second === undefined ? '' : textOf(second)
      if (source === undefined || flags === undefined) madeLater.push(lineOf(text, node))
      else expressions.push({ source, flags, line: lineOf(text, node) })
    }
    if (schemas && node.type === 'Property' && nameOf(node.key) === 'pattern') {
      const source = textOf(node.value)
      if (source !== undefined) expressions.push({ source, flags: 'u', line: lineOf(text, node) })
    }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseSync(file, text).program as unknown as Node)
  return { expressions, madeLater }
}
