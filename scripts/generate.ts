// Usage: node scripts/generate.ts [--check]
//
// Writes all generated files, and the generated parts of documents, such as the table in the README. With --check, writes no file,
// and exits with 1 if a file is out of date.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { jsonSchemaText } from '@capstan/challenge-files/format/json-schema'
import { generateContractTables } from './docs/contract-tables.ts'
import { replaceGeneratedParts } from './docs/generated-parts.ts'
import { generateTypesOfCrd } from './lib/definition-types.ts'
import { formatSettingsTable, replaceTable } from './settings/table.ts'

const root = path.join(import.meta.dirname, '..')
const isCheck = process.argv.includes('--check')
const crds = path.join('charts', 'capstan', 'files', 'crds')
const contract = path.join('docs', 'contract')

const typesOf: Readonly<Record<string, string>> = {
  'capstan.dev_challengeinstances.yaml': 'services/challenge-instance/src/definition.ts',
}

function namesIn(folder: string, ending: string): string[] {
  return readdirSync(path.join(root, folder)).filter((name) => name.endsWith(ending))
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}

/** Returns a map from the path of every copy to its expected content. */
function copies(): Map<string, string> {
  const parts = generateContractTables()
  return new Map([
    ...namesIn('crds', '.yaml').map((name) => [path.join(crds, name), read(path.join('crds', name))] as const),
    ...Object.entries(typesOf).map(
      ([name, file]) => [file, generateTypesOfCrd(`crds/${name}`, read(path.join('crds', name)))] as const,
    ),
    ...namesIn(contract, '.md').map((name) => {
      const file = path.join(contract, name)
      return [file, replaceGeneratedParts(read(file), parts)] as const
    }),
    ['docs/schemas/capstan.v1.json', jsonSchemaText()],
    ['README.md', replaceTable(read('README.md'), formatSettingsTable())],
  ])
}

let differences = 0
if (!isCheck) for (const folder of [crds, 'docs/schemas']) mkdirSync(path.join(root, folder), { recursive: true })
for (const [file, content] of copies()) {
  if (existsSync(path.join(root, file)) && read(file) === content) continue
  differences += 1
  if (isCheck) console.error(`${file} differs from its source: run node scripts/generate.ts`)
  else writeFileSync(path.join(root, file), content)
}
process.exitCode = isCheck && differences > 0 ? 1 : 0
