// Usage: node scripts/check-dialect.ts
//
// Checks that sources use one dialect of TypeScript, which CONTRIBUTING.md describes. Prints each fault in a line, and exits with 1
// if there are any.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { findDialectFaults } from './dialect/find-faults.ts'

const root = path.join(import.meta.dirname, '..')
const sources = ['{services,operator,web,scripts,bench,e2e,charts}/**/*.{ts,tsx}']

const files = globSync(sources, { cwd: root, exclude: ['**/node_modules', '**/dist', '**/*.d.ts', '**/*.d.mts'] }).toSorted()
const faults = files.flatMap((file) =>
  findDialectFaults(file, readFileSync(path.join(root, file), 'utf8')).map(({ line, text }) => `${file}:${line}: ${text}`),
)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length > 0 ? 1 : 0
