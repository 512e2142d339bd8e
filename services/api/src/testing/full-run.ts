import process from 'node:process'

/** True for the full form of long tests (CONTRIBUTING, "Short and full runs"). */
export const isFullRun = process.env.CAPSTAN_TEST_FULL === 'true'

/** Returns all cases in a full run, and otherwise the first of every `step` cases. */
export function sampleTestCases<Case>(cases: readonly Case[], step: number): readonly Case[] {
  return cases.filter((_, index) => isFullRun || index % step === 0)
}
