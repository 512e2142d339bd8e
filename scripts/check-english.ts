// Usage: node scripts/check-english.ts
//
// Reports unclear words in comments, test titles, catalogs, charts and documents (CONTRIBUTING.md). Exits with 1 if there is an
// unclear word.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { proseOfCode, proseOfDocument } from './english/prose.ts'
import { findProseFault } from './english/refused.ts'

const root = path.join(import.meta.dirname, '..')

const cleanAreas = [
  'services/api/src/*.ts',
  'services/api/src/{people,rules,server}/**/*.ts',
  'services/{bus,db,http,kubernetes,settings,tracing,pages}/src/**/*.ts',
  'services/api/src/{challenges,games,play,testing}/**/*.ts',
  'services/challenge-instance/src/**/*.ts',
  'services/contract/src/**/*.ts',
  'services/api/src/instances/**/*.ts',
  'services/{challenge-files,cli}/src/**/*.ts',
  'operator/{isolation-probe,src,testing-images}/**/*.{ts,mjs}',
  'services/gateway/src/**/*.ts',
  'web/plugins/**/*.ts',
  'web/src/{app,components,features,lib,routes,stores,testing}/**/*.{ts,tsx}',
  'bench/**/*.ts',
  '{README,ARCHITECTURE,CONTRIBUTING}.md',
  'docs/**/*.md',
  'charts/capstan/**/*.{yaml,tpl,txt,ts}',
  'crds/*.yaml',
  '.ci/*',
  '{operator,operator/*,services/*,web}/Dockerfile',
  'e2e/**/*.{ts,mjs}',
  'scripts/**/*.{ts,mjs}',
]

/** Files that are not checked, each with the reason. */
const excluded: Readonly<Record<string, string>> = {
  'services/challenge-instance/src/definition.ts': 'generated from the definition of the custom resource',
}

function isCatalog(file: string): boolean {
  return /\/(locales\/en-US|server-texts\/en-US)/.test(file)
}

const faults = cleanAreas
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !(file in excluded) && !/\/dist\/|\.bundle\.mjs$/.test(file))
  .toSorted()
  .flatMap((file) => {
    const source = readFileSync(path.join(root, file), 'utf8')
    const prose = /\.tsx?$/.test(file) ? proseOfCode(file, source, { isCatalog: isCatalog(file) }) : proseOfDocument(source)
    return prose.flatMap((one) => {
      const fault = findProseFault(one)
      return fault === undefined ? [] : [`${file}:${one.line}: ${fault}`]
    })
  })
for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`${faults.length} texts are hard to read, see "Plain English" in CONTRIBUTING.md`)
process.exitCode = faults.length > 0 ? 1 : 0
