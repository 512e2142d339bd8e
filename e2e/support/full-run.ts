import process from 'node:process'

/** True if sweeps visit every page and language instead of the essential ones (CONTRIBUTING, "Short and full runs"). */
export const isFullRun = process.env.CAPSTAN_TEST_FULL === 'true'

/** Returns the essential cases, and in a full run the further ones too. */
export function sweep<Case>(essential: readonly Case[], further: readonly Case[]): readonly Case[] {
  return isFullRun ? [...essential, ...further] : essential
}
