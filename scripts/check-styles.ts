// Usage: node scripts/check-styles.ts
//
// Checks that every class of a CSS module of the web is used by a source that imports the module. Prints each fault in a line,
// and exits with 1 if there are any.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { findUnusedCssClasses } from './styles/unused-classes.ts'

const web = path.join(import.meta.dirname, '..', 'web', 'src')
const styleImport = /import (\w+) from '([^']+\.module\.css)'/g

const users = new Map<string, Readonly<{ name: string; source: string }>[]>()
for (const file of globSync('**/*.{ts,tsx}', { cwd: web })) {
  const source = readFileSync(path.join(web, file), 'utf8')
  for (const [, name = '', from = ''] of source.matchAll(styleImport)) {
    const module = path.join(path.dirname(file), from)
    users.set(module, [...(users.get(module) ?? []), { name, source }])
  }
}

const faults = globSync('**/*.module.css', { cwd: web })
  .toSorted()
  .flatMap((file) => {
    const css = readFileSync(path.join(web, file), 'utf8')
    return findUnusedCssClasses({ css, users: users.get(file) ?? [] }).map((name) => `web/src/${file}: .${name} is not used`)
  })
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
