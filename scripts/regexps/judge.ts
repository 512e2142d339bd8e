import process from 'node:process'

// The build in plain JavaScript, which runs everywhere. The overrides in package.json put something small in the place of those
// for one platform each, 50 MB that nobody would use.
process.env.RECHECK_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/** Of one expression; the slowest of ours takes some seconds on a busy machine. */
const timeoutMs = 60_000

/**
 * Whether an expression takes linear time whatever it is given.
 * @returns undefined: it does; else what is wrong with it
 */
export function judge(source: string, flags: string): string | undefined {
  const result = checkSync(source, flags, { timeout: timeoutMs })
  if (result.status === 'safe') return undefined
  if (result.status === 'unknown') return 'could not be judged'
  return result.complexity.type === 'exponential' ? 'takes exponential time' : 'takes more than linear time'
}
