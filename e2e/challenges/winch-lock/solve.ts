import type { SolveContext } from '../solve-context.ts'

/** Reads the scrambled bytes from the module's data section and restores the flag. */
export async function solve(context: SolveContext): Promise<string> {
  const locked = dataSegment(await context.attachment())
  let state = 0x5a
  const words = locked.map((byte, index) => {
    const turned = (byte - 7 * index) & 0xff
    const word = ((turned >> 3) | (turned << 5)) ^ state
    state = (state * 33 + byte) & 0xff
    return word & 0xff
  })
  return new TextDecoder().decode(words)
}

/** Returns the bytes of the first active data segment of a WebAssembly module. */
function dataSegment(module: Uint8Array): Uint8Array {
  let at = 8
  const number = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < module.length) {
    const id = number()
    const size = number()
    if (id === 11) {
      number() // skip one integer: the count of data segments
      number() // skip one integer: the memory index
      at = module.indexOf(0x0b, at) + 1 // skip the address and the byte 0x0b at its end
      const length = number()
      return module.slice(at, at + length)
    }
    at += size
  }
  throw new Error('The module has no data')
}
