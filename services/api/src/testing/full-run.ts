import process from 'node:process'

/** True for the full form of long tests (CONTRIBUTING, "Short and full runs"). */
export const isFullRun = process.env.CAPSTAN_TEST_FULL === 'true'

/** Returns all cases in a full run, and otherwise the first of every `step` cases. Logs the number of cases that it leaves out. */
export function sampleTestCases<Case>(cases: readonly Case[], step: number): readonly Case[] {
  if (isFullRun) return cases
  const sample = cases.filter((_, index) => index % step === 0)
  console.log(`A sweep leaves out ${cases.length - sample.length} of ${cases.length} cases, which CAPSTAN_TEST_FULL=true adds`)
  return sample
}

/** Returns the number of random cases of a test. `CAPSTAN_PROPERTY_RUNS` overrides both numbers. */
export function countRandomCases({ short, full }: Readonly<{ short: number; full: number }>): number {
  const runs = Number(process.env.CAPSTAN_PROPERTY_RUNS || (isFullRun ? full : short))
  if (Number.isNaN(runs)) throw new Error('CAPSTAN_PROPERTY_RUNS must be a number')
  return runs
}
