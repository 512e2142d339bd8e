import process from 'node:process'

// The build in plain JavaScript, which runs everywhere. The overrides in package.json put something small in the place of those
// for one platform each, 50 MB that nobody would use.
process.env.RECHECK_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/**
 * The same verdict on every machine: a fixed seed, and no step that goes by the clock but the whole, of which the slowest of ours
 * takes some seconds on a busy machine.
 */
const options = { timeout: 60_000, randomSeed: 1, attackTimeout: null, incubationTimeout: null, seedingTimeout: null }

/**
 * Whether an expression takes linear time whatever it is given.
 * @returns undefined: it does; else what is wrong with it
 */
export function judge(source: string, flags: string): string | undefined {
  const result = checkSync(source, flags, options)
  if (result.status === 'safe') return undefined
  if (result.status === 'unknown') return 'could not be judged'
  return result.complexity.type === 'exponential' ? 'takes exponential time' : 'takes more than linear time'
}
