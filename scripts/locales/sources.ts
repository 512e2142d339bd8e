import { parseSync } from 'oxc-parser'
import { childrenOf, isSyntaxNode, type Node } from '../lib/syntax-tree.ts'

/** Key of a text that code looks up. Some parts of the key may be known only at run time. */
export type KeyUse = Readonly<{
  /** Regular expression for the key without its area, such as `title` for `games:title`. */
  pattern: RegExp
  text: string
  /** Area of the key, such as `common` in `common:action.save`. Undefined if the key contains no area. */
  area: string | undefined
  line: number
}>

export type Source = Readonly<{
  /** Areas that the file uses, such as `games` in `useTranslation('games')` or in `'games:title'`. */
  areas: ReadonlySet<string>
  /** Keys that the code passes to the function `t` or to the attribute `i18nKey`. */
  lookups: readonly KeyUse[]
  /** All other texts of the file that could be a key, for example an argument of another function. */
  mentions: readonly KeyUse[]
  hardCoded: readonly Readonly<{ text: string; line: number }>[]
}>

/** JSX attributes with text for users. */
const spokenAttributes = new Set([
  'aria-label',
  'aria-description',
  'title',
  'placeholder',
  'alt',
  'label',
  'description',
  'hint',
])

function quoted(text: string) {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function cooked(template: Node) {
  return (template.quasis as readonly { value: { cooked: string | null } }[]).map(({ value }) => value.cooked ?? '')
}

/** Returns the text of a literal or template. Parts that are only known at run time become `\0`. */
function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  return node.type === 'TemplateLiteral' ? cooked(node).join('\0') : undefined
}

/** Yields the possible texts of an expression: both branches of a condition, the right side of `&&` and `??`. */
function* yields(node: Node): Generator<Node> {
  if (node.type === 'ConditionalExpression') {
    yield* yields(node.consequent as Node)
    yield* yields(node.alternate as Node)
  } else if (node.type === 'LogicalExpression') {
    yield* yields(node.right as Node)
    if (node.operator !== '&&') yield* yields(node.left as Node)
  } else if (node.type === 'JSXExpressionContainer') yield* yields(node.expression as Node)
  else if (/^TS(As|Satisfies|NonNull)Expression$/.test(node.type)) yield* yields(node.expression as Node)
  else yield node
}

function hasWords(text: string) {
  return /\p{L}{2}/u.test(text)
}

function nameOf(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined
  if (typeof node.name === 'string') return node.name
  return node.type === 'MemberExpression' ? nameOf(node.property) : undefined
}

/** Reads keys, areas and hard-coded texts of one file. */
export function readSource(file: string, code: string, knownAreas: ReadonlySet<string>): Source {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file} could not be parsed: ${errors[0]?.message}`)
  const areas = new Set<string>()
  const lookups: KeyUse[] = []
  const mentions: KeyUse[] = []
  const hardCoded: { text: string; line: number }[] = []
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length

  const useOf = (node: Node, text: string): KeyUse => {
    const [, area, rest = text] = /^([\w-]+):(.+)$/s.exec(text) ?? []
    const isArea = area !== undefined && knownAreas.has(area)
    const key = isArea ? rest : text
    if (isArea) areas.add(area)
    const pattern = new RegExp(`^${key.split('\0').map(quoted).join('[\\w.-]+')}$`)
    return { pattern, text: text.replaceAll('\0', '…'), area: isArea ? area : undefined, line: lineAt(node.start) }
  }

  const addAreas = (argument: Node | undefined) => {
    if (argument === undefined) areas.add('common')
    for (const node of argument?.type === 'ArrayExpression' ? childrenOf(argument) : argument ? [argument] : []) {
      const text = textOf(node)
      if (text !== undefined) areas.add(text)
    }
  }

  const addLookup = (argument: Node) => {
    for (const node of yields(argument)) {
      const text = textOf(node)
      if (text !== undefined) lookups.push(useOf(node, text))
    }
  }

  const addHardCoded = (value: Node) => {
    for (const node of yields(value)) {
      const text = node.type === 'JSXText' ? String(node.value) : textOf(node)
      if (text === undefined || !hasWords(text)) continue
      const indent = node.type === 'JSXText' ? text.length - text.trimStart().length : 0
      hardCoded.push({ text: text.trim().replaceAll('\0', '…'), line: lineAt(node.start + indent) })
    }
  }

  const visit = (node: Node): void => {
    const text = textOf(node)
    if (text !== undefined && /^[\w\0.:-]+$/.test(text)) mentions.push(useOf(node, text))
    if (node.type === 'CallExpression') {
      const callee = nameOf(node.callee)
      const [first] = node.arguments as readonly Node[]
      if (callee === 'useTranslation') addAreas(first)
      if (callee === 't' && first) addLookup(first)
      if (callee === 'toast' && first?.type === 'ObjectExpression')
        for (const property of first.properties as readonly Node[])
          if (['title', 'text'].includes(nameOf(property.key) ?? '')) addHardCoded(property.value as Node)
    }
    if (node.type === 'JSXAttribute' && isSyntaxNode(node.value)) {
      const name = nameOf(node.name) ?? ''
      if (name === 'i18nKey') addLookup(node.value)
      if (spokenAttributes.has(name)) addHardCoded(node.value)
    }
    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node.children as readonly Node[])
        if (/^JSX(Text|ExpressionContainer)$/.test(child.type)) addHardCoded(child)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program as unknown as Node)
  return { areas, lookups, mentions, hardCoded }
}
