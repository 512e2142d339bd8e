// Usage: node scripts/generate.ts [--check]
//
// Copies that must agree with their one source: the CRDs of `crds/` into the chart. With --check nothing is written;
// a copy that differs ends the run with exit code 1.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const root = path.join(import.meta.dirname, '..')
const isCheck = process.argv.includes('--check')
const target = path.join(root, 'charts', 'capstan', 'files', 'crds')

let differences = 0
if (!isCheck) mkdirSync(target, { recursive: true })
for (const name of readdirSync(path.join(root, 'crds')).filter((file) => file.endsWith('.yaml'))) {
  const source = readFileSync(path.join(root, 'crds', name), 'utf8')
  const copy = path.join(target, name)
  if (existsSync(copy) && readFileSync(copy, 'utf8') === source) continue
  differences += 1
  if (isCheck) console.error(`charts/capstan/files/crds/${name} differs from crds/${name}: run node scripts/generate.ts`)
  else writeFileSync(copy, source)
}
process.exitCode = isCheck && differences > 0 ? 1 : 0
