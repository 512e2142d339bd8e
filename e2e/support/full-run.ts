import process from 'node:process'

/**
 * True if tests cover all pages and languages. If false, tests cover only the essential pages and languages. See "Short
 * and full runs" in CONTRIBUTING.
 */
export const isFullRun = process.env.CAPSTAN_TEST_FULL === 'true'

/** Returns the essential cases. In a full run, also returns the `further` cases. */
export function selectTestCases<Case>(essential: readonly Case[], further: readonly Case[]): readonly Case[] {
  return isFullRun ? [...essential, ...further] : essential
}
