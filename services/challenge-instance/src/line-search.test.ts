import { describe, expect, it } from 'vitest'
import { createLineSearch } from './line-search.ts'

function bytes(text: string) {
  return new TextEncoder().encode(text)
}

/** Searches for a text in pieces of output, and returns the result after each piece. */
function results(text: string, pieces: readonly Uint8Array[]): boolean[] {
  return pieces.map(createLineSearch(text))
}

describe('the search for a text in the output', () => {
  it('the search returns true as soon as the text has arrived', () => {
    expect(results('Ready', [bytes('x\n[info] '), bytes('Ready on 80\n'), bytes('x')])).toEqual([false, true, true])
  })

  it('finds a text that is split between pieces, even if a character is split', () => {
    for (const text of ['★ ready', 'aab', 'abcabd']) {
      const output = bytes(`a★ aaabcab${text}`)
      for (let at = 0; at <= output.length; at += 1)
        expect(results(text, [output.subarray(0, at), output.subarray(at)]).at(-1), `${text} at ${at}`).toBe(true)
      expect(
        results(
          text,
          Array.from(output, (byte) => Uint8Array.of(byte)),
        ).at(-1),
      ).toBe(true)
    }
  })

  it('does not find a text if it is split between two lines or incomplete', () => {
    expect(results('all ready', [bytes('all \nready'), bytes('all read')])).toEqual([false, false])
  })

  it('ignores binary data that has no line ends', () => {
    const garbage = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 256)
    expect(results('ready', [garbage, Uint8Array.of(0xff, 0xc3), bytes('ready')])).toEqual([false, false, true])
  })

  it('reads each byte once, even if the output repeats a prefix of the text', () => {
    const wanted = `${'a'.repeat(255)}b`
    let reads = 0
    const output = (text: string): Uint8Array =>
      new Proxy(bytes(text), {
        get(target, name) {
          if (name !== Symbol.iterator) return Reflect.get(target, name, target)
          return function* () {
            for (const byte of target) {
              reads += 1
              yield byte
            }
          }
        },
      })
    const search = createLineSearch(wanted)
    expect([search(output('a'.repeat(10_000))), search(output('b'))]).toEqual([false, true])
    expect(reads).toBe(10_001)
  })
})
