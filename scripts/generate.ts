// Usage: node scripts/generate.ts [--check]
//
// Copies that must agree with their one source: the CRDs of `crds/` into the chart, and the descriptions of settings into the table
// of the README. With --check nothing is written; a copy that differs ends the run with exit code 1.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { replaceTable, settingsTable } from './settings/table.ts'

const root = path.join(import.meta.dirname, '..')
const isCheck = process.argv.includes('--check')

let differences = 0
/** Writes what the copy should be, or says that it is not. */
const settle = (copy: string, source: string, content: string): void => {
  const file = path.join(root, copy)
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return
  differences += 1
  if (isCheck) console.error(`${copy} differs from ${source}: run node scripts/generate.ts`)
  else writeFileSync(file, content)
}

const chartFolder = 'charts/capstan/files/crds'
if (!isCheck) mkdirSync(path.join(root, chartFolder), { recursive: true })
for (const name of readdirSync(path.join(root, 'crds')).filter((file) => file.endsWith('.yaml')))
  settle(`${chartFolder}/${name}`, `crds/${name}`, readFileSync(path.join(root, 'crds', name), 'utf8'))
settle(
  'README.md',
  'the descriptions of settings (scripts/settings/processes.ts)',
  replaceTable(readFileSync(path.join(root, 'README.md'), 'utf8'), settingsTable()),
)
process.exitCode = isCheck && differences > 0 ? 1 : 0
