import { ChallengeCategory } from '@capstan/contract/challenges'
import { InputLimits } from '@capstan/contract/limits'

/** Converts a title into a file name of lowercase letters, digits and hyphens. @returns `challenge` if nothing is left */
export function nameFromTitle(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const name = words.join('-').slice(0, InputLimits.maxWordLength)
  return name === '' ? 'challenge' : name.endsWith('-') ? name.slice(0, -1) : name
}

const synonyms: Readonly<Record<string, ChallengeCategory>> = {
  binary: 'Pwn',
  'binary exploitation': 'Pwn',
  pwnable: 'Pwn',
  exploitation: 'Pwn',
  rev: 'Reverse',
  re: 'Reverse',
  reversing: 'Reverse',
  'reverse engineering': 'Reverse',
  cryptography: 'Crypto',
  forensic: 'Forensics',
  dfir: 'Forensics',
  'web exploitation': 'Web',
  miscellaneous: 'Misc',
  general: 'Misc',
  osint: 'OSINT',
  'open source intelligence': 'OSINT',
  'open-source intelligence': 'OSINT',
  ml: 'AI',
  'machine learning': 'AI',
  programming: 'PPC',
  ppc: 'PPC',
  android: 'Mobile',
  ios: 'Mobile',
  hw: 'Hardware',
  blockchains: 'Blockchain',
}

/**
 * Converts a category of another platform.
 * @returns undefined if this platform has no such category
 */
export function parseCategory(word: string): ChallengeCategory | undefined {
  const small = word.trim().toLowerCase()
  const synonym = Object.hasOwn(synonyms, small) ? synonyms[small] : undefined
  return synonym ?? ChallengeCategory.enum.find((category) => category.toLowerCase() === small)
}
