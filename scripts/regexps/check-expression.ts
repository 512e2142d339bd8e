import process from 'node:process'

// Use the plain JavaScript build, which runs everywhere. The native builds (50 MB each) are not installed, because overrides in
// package.json replace them with small packages.
process.env.RECHECK_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/**
 * Options that make the result the same on every machine: a fixed seed, and a single time limit that no check reaches. On an idle
 * machine, the check of our slowest expression takes some seconds.
 */
const options = { timeout: 600_000, randomSeed: 1, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }

/**
 * Checks that an expression takes linear time for any input.
 * @returns the fault, or undefined if there is none
 */
export function checkExpression(source: string, flags: string): string | undefined {
  const result = checkSync(source, flags, options)
  if (result.status === 'safe') return undefined
  if (result.status === 'unknown') return 'could not be judged'
  return result.complexity.type === 'exponential' ? 'takes exponential time' : 'takes more than linear time'
}
