import { parseSync } from 'oxc-parser'

/** A node of the syntax tree (ESTree with TypeScript and JSX). */
interface Node {
  readonly type: string
  readonly start: number
  readonly [name: string]: unknown
}

/** A regular expression of the code, as JavaScript would make it. */
interface Expression {
  readonly source: string
  readonly flags: string
  readonly line: number
}

export interface Found {
  readonly expressions: readonly Expression[]
  /** Lines that make an expression of what is only known at run time. */
  readonly madeLater: readonly number[]
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield one
  }
}

const textOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined

const regexOf = (node: unknown): { pattern: string; flags: string } | undefined =>
  isNode(node) && node.type === 'Literal'
    ? ((node.regex as { pattern: string; flags: string } | null | undefined) ?? undefined)
    : undefined

const nameOf = (node: unknown): string | undefined => (isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined)

/**
 * The regular expressions of a file: literals, `RegExp(…)` with a literal text, and, with `schemas`, the `pattern` of JSON
 * schemas, which the validator compiles with the flag `u`.
 */
export function findExpressions(file: string, text: string, { schemas }: { readonly schemas: boolean }): Found {
  const expressions: Expression[] = []
  const madeLater: number[] = []
  const lineOf = ({ start }: Node): number => text.slice(0, start).split('\n').length

  const visit = (node: Node): void => {
    const literal = regexOf(node)
    if (literal) expressions.push({ source: literal.pattern, flags: literal.flags, line: lineOf(node) })
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && nameOf(node.callee) === 'RegExp') {
      const [first, second] = node.arguments as readonly unknown[]
      const source = textOf(first) ?? regexOf(first)?.pattern
      const flags = second === undefined ? '' : textOf(second)
      if (source === undefined || flags === undefined) madeLater.push(lineOf(node))
      else expressions.push({ source, flags, line: lineOf(node) })
    }
    if (schemas && node.type === 'Property' && nameOf(node.key) === 'pattern') {
      const source = textOf(node.value)
      if (source !== undefined) expressions.push({ source, flags: 'u', line: lineOf(node) })
    }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseSync(file, text).program as unknown as Node)
  return { expressions, madeLater }
}
