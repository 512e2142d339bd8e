import { randomBytes } from 'node:crypto'
import { Conversation } from '../conversation.ts'
import type { SolveContext } from '../solve-context.ts'

export async function solve(context: SolveContext): Promise<string> {
  const office = new Conversation(await context.connect())
  try {
    const n = number(await office.hear(/n = ([0-9a-f]+)\n/))
    const e = number(await office.hear(/e = ([0-9a-f]+)\n/))
    await office.hear(/> $/)
    office.say('order')
    const m = number(await office.hear(/m = ([0-9a-f]+)\n/))

    const r = BigInt(`0x${randomBytes(64).toString('hex')}`)
    office.say(`seal ${((m * power(r, e, n)) % n).toString(16)}`)
    const blinded = number(await office.hear(/s = ([0-9a-f]+)\n/))

    office.say(`cast ${((blinded * inverse(r, n)) % n).toString(16)}`)
    return (await office.hear(/flag\{[^}\n]+\}/))[0]
  } finally {
    office.close()
  }
}

function number(match: RegExpExecArray): bigint {
  return BigInt(`0x${match[1]}`)
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let factor = base % modulus, rest = exponent; rest > 0n; rest >>= 1n, factor = (factor * factor) % modulus) {
    if (rest & 1n) result = (result * factor) % modulus
  }
  return result
}

/** Returns the modular inverse by the extended Euclidean algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [older, newer, olderFactor, newerFactor] = [modulus, value % modulus, 0n, 1n]
  while (newer > 0n) {
    const quotient = older / newer
    ;[older, newer] = [newer, older - quotient * newer]
    ;[olderFactor, newerFactor] = [newerFactor, olderFactor - quotient * newerFactor]
  }
  return ((olderFactor % modulus) + modulus) % modulus
}
