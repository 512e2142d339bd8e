// Usage: node scripts/check-imports.ts
//
// Checks the imports between and inside packages, and the use of clock, environment and the platform's log. The rules are the
// tables in scripts/imports/rules.ts. Biome finds circular imports. Prints each fault in a line, and exits with 1 if there are any.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { analyzeFileImports } from './imports/analyze-file.ts'
import { createImportCheck, findUnmatchedPatterns } from './imports/import-check.ts'
import { rules, sources } from './imports/rules.ts'

const root = path.join(import.meta.dirname, '..')
const checkImports = createImportCheck(rules)

const files = globSync([...sources], { cwd: root, exclude: ['**/node_modules', '**/dist', '**/*.bundle.mjs'] }).toSorted()
const faults = [
  ...findUnmatchedPatterns(rules, files).map((glob) => `scripts/imports/rules.ts: no file matches ${glob}`),
  ...files.flatMap((file) =>
    checkImports(file, analyzeFileImports(file, readFileSync(path.join(root, file), 'utf8'))).map(
      ({ line, text }) => `${file}:${line}: ${text}`,
    ),
  ),
]
for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`${faults.length} imports cross a boundary`)
process.exitCode = faults.length > 0 ? 1 : 0
