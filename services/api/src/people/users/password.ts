import { Limits } from '@capstan/contract/limits'
import type { Random } from '../../rules/signing/random.ts'

/** Without characters that are easily taken for others: people read these passwords to each other. */
const alphabets = ['abcdefghijkmnpqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '!#$%*+-=?@_'] as const
const all = alphabets.join('')

function pick(characters: string, random: Random): string {
  return characters.charAt(random.int(characters.length))
}

/** A password with lower, upper, digit and symbol at random places. Rules: docs/contract/admin.md#users. */
export function createRandomPassword(random: Random): string {
  const characters = [
    ...alphabets.map((alphabet) => pick(alphabet, random)),
    ...Array.from({ length: Limits.randomPasswordLength - alphabets.length }, () => pick(all, random)),
  ]
  // Fisher-Yates, so that the four that had to be there may be anywhere.
  for (let last = characters.length - 1; last > 0; last--) {
    const other = random.int(last + 1)
    const [a = '', b = ''] = [characters[last], characters[other]]
    characters[last] = b
    characters[other] = a
  }
  return characters.join('')
}
