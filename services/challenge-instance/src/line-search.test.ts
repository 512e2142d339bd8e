import { describe, expect, it } from 'vitest'
import { createLineSearch } from './line-search.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** What the search says after each piece. */
const told = (text: string, pieces: readonly Uint8Array[]): boolean[] => pieces.map(createLineSearch(text))

describe('a search for a line', () => {
  it('finds its text within a line, and stays at it', () => {
    expect(told('Ready', [bytes('x\n[info] '), bytes('Ready on 80\n'), bytes('x')])).toEqual([false, true, true])
  })

  it('finds it however it is cut, also within a character', () => {
    for (const text of ['★ ready', 'aab', 'abcabd']) {
      const output = bytes(`a★ aaabcab${text}`)
      for (let at = 0; at <= output.length; at += 1)
        expect(told(text, [output.subarray(0, at), output.subarray(at)]).at(-1), `${text} at ${at}`).toBe(true)
      expect(
        told(
          text,
          Array.from(output, (byte) => Uint8Array.of(byte)),
        ).at(-1),
      ).toBe(true)
    }
  })

  it('does not find what is on two lines, or of which a part is missing', () => {
    expect(told('all ready', [bytes('all \nready'), bytes('all read')])).toEqual([false, false])
  })

  it('goes through bytes that are no text, without an end of line', () => {
    const garbage = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 256)
    expect(told('ready', [garbage, Uint8Array.of(0xff, 0xc3), bytes('ready')])).toEqual([false, false, true])
  })

  it('looks at each byte once, however alike text and output are', () => {
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
