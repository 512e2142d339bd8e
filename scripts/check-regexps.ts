// Usage: node scripts/check-regexps.ts [FILE...]
//
// Checks that every regular expression of the product takes linear time for any input. Otherwise a few kilobytes could block a
// process for minutes. By default it checks the whole product. Prints each fault in a line, and exits with 1 if there are any.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { checkExpression } from './regexps/check-expression.ts'
import { findExpressions } from './regexps/expressions.ts'

const root = path.join(import.meta.dirname, '..')

/** Files of the product, which are all source files except tests, test tools and benchmarks. */
const product = [
  'services/*/src/**/*.ts',
  'operator/{src,isolation-probe}/**/*.ts',
  'web/src/**/*.{ts,tsx}',
  'scripts/**/*.{ts,mjs}',
]
function isProduct(file: string): boolean {
  return !/\.test\.tsx?$|\.d\.m?ts$|(^|\/)(testing|bench)\/|^web\/src\/locales\//.test(file)
}

/** Files that may build regular expressions at run time, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'web/src/components/ui/inline-text.tsx': 'the same expression with another flag',
  'web/src/features/admin-challenges/container-faults.ts': 'patterns of the contract, which are checked there',
  'web/src/features/admin-challenges/list-filter.ts': "a user's search in the user's own browser, on the titles of one game",
  'web/src/lib/early/early-loads.ts': 'routes that the build writes into the page',
  'web/src/lib/name-search.ts': 'a search is only compiled to validate it; it runs in the worker',
  'web/src/lib/name-search-worker.ts': 'a search runs in a worker with a deadline',
  'services/challenge-files/src/compose/containers.ts': 'a pattern of the contract, which is checked there',
  'services/challenge-files/src/importers/parts.ts': 'a pattern with at most six wildcards, on the paths of a folder',
  'services/cli/src/game-folder.ts': "patterns of the user's own command, on names and folders of one game",
  'scripts/locales/sources.ts': 'built from texts in our code, and matched against our texts',
}

const files =
  process.argv.length > 2
    ? process.argv.slice(2).map((file) => path.relative(root, path.resolve(file)))
    : product.flatMap((pattern) => globSync(pattern, { cwd: root })).filter(isProduct)

const verdicts = new Map<string, string | undefined>()
function verdictOn(source: string, flags: string): string | undefined {
  const key = `/${source}/${flags}`
  if (!verdicts.has(key)) verdicts.set(key, checkExpression(source, flags))
  return verdicts.get(key)
}

const faults: string[] = []
for (const file of files.toSorted()) {
  const text = readFileSync(path.join(root, file), 'utf8')
  const { expressions, madeLater } = findExpressions(file, text, { schemas: file.startsWith('services/') })
  for (const line of madeLater)
    if (!allowed[file]) faults.push(`${file}:${line}: an expression built at run time cannot be checked`)
  for (const { source, flags, line } of expressions) {
    const fault = verdictOn(source, flags)
    if (fault) faults.push(`${file}:${line}: /${source}/${flags} ${fault}`)
  }
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`${faults.length} faults in regular expressions`)
process.exitCode = faults.length > 0 ? 1 : 0
