import { parseSync, Visitor } from 'oxc-parser'

export type DialectFault = Readonly<{ line: number; text: string }>

/**
 * Returns the places where a source file uses another dialect than CONTRIBUTING.md describes:
 *
 * - An object type whose members are all `readonly` uses `Readonly<…>` once instead.
 * - A function of a module is a declaration. An arrow function at this level needs a type, for example of a plugin.
 */
export function findDialectFaults(file: string, source: string): readonly DialectFault[] {
  const { program } = parseSync(file, source)
  const faults: DialectFault[] = []
  const report = (offset: number, text: string) => faults.push({ line: source.slice(0, offset).split('\n').length, text })
  new Visitor({
    TSTypeLiteral({ members, start }) {
      const isReadonly = members.every((member) => member.type === 'TSPropertySignature' && member.readonly)
      if (members.length > 1 && isReadonly) report(start, 'use Readonly<…> once, instead of readonly for each member')
    },
  }).visit(program)
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declared?.type !== 'VariableDeclaration' || declared.kind !== 'const') continue
    for (const { id, init } of declared.declarations) {
      const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression'
      if (isFunction && !id.typeAnnotation) report(id.start, 'declare a function of a module with `function`')
    }
  }
  return faults
}
