import { parseSync } from 'oxc-parser'

/** Kind of global state that a file reads directly instead of receiving it as an argument. */
export type Reading = 'environment' | 'time of day' | 'stopwatch' | 'platform log' | 'events'

export type FileAnalysis = Readonly<{
  /** Modules that the file imports, with line numbers. They include imports of types, re-exports and `import()`. */
  imports: readonly Readonly<{ module: string; line: number }>[]
  readings: readonly Readonly<{ what: Reading; line: number }>[]
}>

/** Node of the syntax tree (ESTree with TypeScript and JSX). */
interface Node {
  readonly type: string
  readonly start: number
  readonly [name: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

function* childrenOf(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) yield one
  }
}

function textOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined
}

/**
 * Returns a member expression as text. `a.b`, `a['b']` and `globalThis.a.b` result in `a.b`. `import.meta.b` is unchanged.
 * @returns undefined for any other node
 */
function memberOf(node: Node): string | undefined {
  if (node.type !== 'MemberExpression') return undefined
  const { object } = node
  const owner =
    nameOf(object) ??
    (isNode(object) && object.type === 'MetaProperty' ? 'import.meta' : undefined) ??
    (isNode(object) ? memberOf(object)?.replace(/^globalThis\./, '') : undefined)
  const property = node.computed === true ? textOf(node.property) : nameOf(node.property)
  return owner && property ? `${owner}.${property}` : undefined
}

const readingOf: Readonly<Record<string, Reading>> = {
  'process.env': 'environment',
  'Date.now': 'time of day',
  'performance.now': 'stopwatch',
  'performance.timeOrigin': 'time of day',
  'process.hrtime': 'stopwatch',
}

const listenMethods = /^(on|once|addListener|prependListener|prependOnceListener|setTimeout)$/

/**
 * True if the node is `emitter.on(event, listener)` or a similar call. Calls through a `Guard` do not match, because they have the
 * emitter as an additional argument.
 */
function isListening({ type, callee, arguments: given }: Node): boolean {
  return (
    type === 'CallExpression' &&
    isNode(callee) &&
    callee.type === 'MemberExpression' &&
    nameOf(callee.object) !== 'globalThis' &&
    listenMethods.test((callee.computed === true ? textOf(callee.property) : nameOf(callee.property)) ?? '') &&
    (given as unknown[]).length === 2
  )
}

const globalsOf: Readonly<Record<string, string>> = { 'node:process': 'process', process: 'process' }

function* readingsOf(node: Node): Generator<Reading> {
  const member = memberOf(node)
  const reading = member === undefined ? undefined : readingOf[member]
  if (reading) yield reading
  // Calls of `new Date` and `Date` read the clock only if they have no arguments.
  if (node.type === 'NewExpression' && nameOf(node.callee) === 'Date' && (node.arguments as unknown[]).length === 0)
    yield 'time of day'
  if (node.type === 'CallExpression' && nameOf(node.callee) === 'Date') yield 'time of day'
  if (node.type === 'CallExpression' && isNode(node.callee) && memberOf(node.callee)?.endsWith('platformLog.write'))
    yield 'platform log'
  if (isListening(node)) yield 'events'
  // Matches `const { env } = process`.
  if (node.type === 'VariableDeclarator' && isNode(node.id) && node.id.type === 'ObjectPattern')
    for (const property of childrenOf(node.id)) {
      const taken = readingOf[`${nameOf(node.init)}.${nameOf(property.key)}`]
      if (taken) yield taken
    }
  // Matches `import { env } from 'node:process'`.
  if (node.type === 'ImportDeclaration')
    for (const specifier of childrenOf(node)) {
      const taken = readingOf[`${globalsOf[textOf(node.source) ?? '']}.${nameOf(specifier.imported)}`]
      if (taken) yield taken
    }
}

function moduleOf(node: Node): string | undefined {
  return /^(Import|ExportNamed|ExportAll)(Declaration|Expression)$|^TSImportType$/.test(node.type)
    ? textOf(node.source)
    : undefined
}

export function analyzeFileImports(file: string, text: string): FileAnalysis {
  const imports: { module: string; line: number }[] = []
  const readings: { what: Reading; line: number }[] = []
  const lineOf = ({ start }: Node): number => text.slice(0, start).split('\n').length

  const visit = (node: Node): void => {
    const module = moduleOf(node)
    if (module !== undefined) imports.push({ module, line: lineOf(node) })
    for (const what of readingsOf(node)) readings.push({ what, line: lineOf(node) })
    for (const child of childrenOf(node)) visit(child)
  }
  visit(parseSync(file, text).program as unknown as Node)
  return { imports, readings }
}
