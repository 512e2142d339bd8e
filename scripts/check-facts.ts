// Usage: node scripts/check-facts.ts
//
// Checks that each fact of the contract has one definition: limits of input in limits.ts, and words, addresses and formulas in
// their modules. Prints each fault in a line, and exits with 1 if there are any.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { findHardCodedLimits } from './facts/bounds.ts'
import { collectContractWords, findRepeatedFacts } from './facts/words.ts'

const root = path.join(import.meta.dirname, '..')

/** Files to check. Tests are excluded because they state expected values. */
const files = ['services/*/src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'scripts/**/*.ts', 'e2e/{challenges,support}/**/*.ts']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !/\.test\.tsx?$|\.d\.m?ts$|^web\/src\/locales\//.test(file))
  .toSorted()

/** True if the file may contain input limits, such as the maximum length of a name. */
function hasBounds(file: string): boolean {
  return (
    /^(services\/(contract|api|gateway|pages|http|bus)|web)\//.test(file) &&
    !/(^|\/)testing\//.test(file) &&
    file !== 'services/contract/src/limits.ts'
  )
}

/** Files that are not checked, each with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'services/api/src/rules/scoring/testing/naive-scoreboard.ts': 'computes the board independently, for comparison',
  'e2e/challenges/poster.ts': 'draws light, not points',
  'services/gateway/src/proxy/frames.ts': 'lengths in the header of a WebSocket frame',
  'services/challenge-instance/src/definition.ts': 'generated from the definition of the cluster’s objects',
  'services/settings/src/common.ts': 'the settings package cannot import the contract',
  'web/src/features/admin-challenges/add-flag.tsx': 'the order in which the form shows them',
  'web/src/features/games/game-filter.ts': 'the order in which the page shows them',
}

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8')
}
const vocabulary = collectContractWords(
  files.filter((file) => file.startsWith('services/contract/src/')).map((file) => ({ file, text: read(file) })),
)

const faults = files
  .filter((file) => !(file in allowed))
  .flatMap((file) => {
    const text = read(file)
    const found = [...(hasBounds(file) ? findHardCodedLimits(file, text) : []), ...findRepeatedFacts(file, text, vocabulary)]
    return found.map(({ line, fault }) => `${file}:${line}: ${fault}`)
  })
for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`${faults.length} facts are defined outside of the contract`)
process.exitCode = faults.length > 0 ? 1 : 0
