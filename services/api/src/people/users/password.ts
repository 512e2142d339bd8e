import { Limits } from '@capstan/contract/limits'
import type { Random } from '../../rules/signing/random.ts'

/** Character sets without ambiguous characters, because people read these passwords aloud. */
const alphabets = ['abcdefghijkmnpqrstuvwxyz', 'ABCDEFGHJKLMNPQRSTUVWXYZ', '23456789', '!#$%*+-=?@_'] as const
const all = alphabets.join('')

function pick(characters: string, random: Random): string {
  return characters.charAt(random.int(characters.length))
}

/** Creates a password with lower case, upper case, digit and symbol at random positions. Rules: docs/contract/admin.md#users. */
export function createRandomPassword(random: Random): string {
  const characters = [
    ...alphabets.map((alphabet) => pick(alphabet, random)),
    ...Array.from({ length: Limits.randomPasswordLength - alphabets.length }, () => pick(all, random)),
  ]
  // The Fisher-Yates shuffle puts the four required characters at random positions.
  for (let last = characters.length - 1; last > 0; last--) {
    const other = random.int(last + 1)
    const [a = '', b = ''] = [characters[last], characters[other]]
    characters[last] = b
    characters[other] = a
  }
  return characters.join('')
}
