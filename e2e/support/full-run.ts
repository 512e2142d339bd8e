import process from 'node:process'

/** True if tests visit all pages and languages instead of the essential ones (CONTRIBUTING, "Short and full runs"). */
export const isFullRun = process.env.CAPSTAN_TEST_FULL === 'true'

/** Returns the essential cases, and in a full run also the `further` cases. */
export function selectCases<Case>(essential: readonly Case[], further: readonly Case[]): readonly Case[] {
  return isFullRun ? [...essential, ...further] : essential
}
