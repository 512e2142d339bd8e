// Usage: node scripts/check-docs.ts
//
// Checks that the targets and anchors of relative links exist, and that the code refers only to existing documents. It refuses
// section signs, because they refer to a document outside this repository. Prints each fault in a line, and exits with 1 if there
// are any.
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { anchorsOf, linksOf, listDocumentReferences, type Reference } from './docs/links.ts'

const root = path.join(import.meta.dirname, '..')
const documents = ['*.md', 'docs/**/*.md']
const code = [
  '{services,operator,web,e2e,scripts,charts,crds}/**/*.{ts,tsx,mts,mjs,css,html,yaml,yml,json,tpl,txt,sh}',
  '{services,operator,web,e2e,charts}/**/Dockerfile',
]
/** Files that must not contain section signs. */
const withoutSign = [...documents, ...code]

function isSource(file: string): boolean {
  return !/(^|\/)(node_modules|dist|dist-types)\/|\.bundle\.mjs$/.test(file)
}

function filesOf(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).filter(isSource)
}
function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

const anchors = new Map<string, ReadonlySet<string>>()
function hasAnchor(file: string, anchor: string): boolean {
  const known = anchors.get(file) ?? anchorsOf(read(file))
  anchors.set(file, known)
  return known.has(anchor)
}

/**
 * Returns the fault of a reference, or undefined if its target exists.
 * @param file target of the reference, relative to the root
 */
function faultOf(file: string, anchor: string | undefined): string | undefined {
  if (!existsSync(path.join(root, file))) return `${file} does not exist`
  return anchor === undefined || hasAnchor(file, anchor) ? undefined : `${file} has no heading #${anchor}`
}

const faults: string[] = []
function judge(from: string, references: readonly Reference[], resolve: (file: string) => string): void {
  for (const { file, anchor, line } of references) {
    const fault = faultOf(resolve(file), anchor)
    if (fault !== undefined) faults.push(`${from}:${line}: ${fault}`)
  }
}

for (const file of filesOf(documents)) {
  judge(file, linksOf(read(file)), (target) => (target === '' ? file : path.join(path.dirname(file), target)))
}
for (const file of filesOf(code)) judge(file, listDocumentReferences(read(file)), (target) => target)

for (const file of filesOf(withoutSign))
  read(file)
    .split('\n')
    .forEach((line, index) => {
      if (line.includes('\u00a7'))
        faults.push(`${file}:${index + 1}: a section sign: state the rule, or link its page of docs/contract`)
    })

for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`${faults.length} broken references in documents and code`)
process.exitCode = faults.length > 0 ? 1 : 0
