/** Node of the syntax tree (ESTree with TypeScript and JSX). */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [name: string]: unknown
}

export function isSyntaxNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

export function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) if (isSyntaxNode(one)) yield one
  }
}

/** Returns the line of a node, counted from 1. */
export function lineOf(text: string, { start }: Node): number {
  return text.slice(0, start).split('\n').length
}
