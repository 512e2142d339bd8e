import { writeFileSync } from 'node:fs'

/** Address of the scrambled flag in the module's memory. The text to check starts at address 0. */
const lockedAt = 1024
const firstState = 0x5a

/**
 * Scrambles a text. Each byte is combined with a running state, rotated left by three bits, and increased by a multiple of its
 * position.
 */
function lock(words: Uint8Array): Uint8Array {
  let state = firstState
  return words.map((word, index) => {
    const mixed = word ^ state
    const locked = (((mixed << 3) | (mixed >> 5)) + 7 * index) & 0xff
    state = (state * 33 + locked) & 0xff
    return locked
  })
}

// Parts of the WebAssembly binary format that the module needs. https://webassembly.github.io/spec/core/binary/
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}
function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}
function sized(bytes: readonly number[]): number[] {
  return [...unsigned(bytes.length), ...bytes]
}
function list(...items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()]
}
function text(value: string): number[] {
  return sized([...new TextEncoder().encode(value)])
}
function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)]
}

const i32 = 0x7f
function constant(value: number): number[] {
  return [0x41, ...signed(value)]
}
function get(local: number): number[] {
  return [0x20, local]
}
function set(local: number): number[] {
  return [0x21, local]
}
function load8(offset: number): number[] {
  return [0x2d, 0, ...unsigned(offset)]
}
const [eqz, eq, ltUnsigned, add, multiply, and, or, xor, shiftLeft, shiftRight] = [
  0x45, 0x46, 0x49, 0x6a, 0x6c, 0x71, 0x72, 0x73, 0x74, 0x76,
] as const
const [loop, branchIf, end, noResult] = [0x03, 0x0d, 0x0b, 0x40] as const

/**
 * Returns the WebAssembly code of the function that checks a text. The function takes a length and returns 1 or 0. It reads every
 * byte before it returns.
 */
function checkCode(length: number): number[] {
  const [given, index, state, byte, difference] = [0, 1, 2, 3, 4] as const
  const lowByte = [...constant(0xff), and]
  // biome-ignore format: one line per statement of the program
  return [
    ...list([4, i32]),
    ...constant(firstState), ...set(state),
    loop, noResult,
    ...get(index), ...load8(0), ...get(state), xor, ...set(byte),
    ...get(byte), ...constant(3), shiftLeft, ...get(byte), ...constant(5), shiftRight, or,
    ...get(index), ...constant(7), multiply, add, ...lowByte, ...set(byte),
    ...get(difference), ...get(byte), ...get(index), ...load8(lockedAt), xor, or, ...set(difference),
    ...get(state), ...constant(33), multiply, ...get(byte), add, ...lowByte, ...set(state),
    ...get(index), ...constant(1), add, ...set(index),
    ...get(index), ...constant(length), ltUnsigned, branchIf, 0,
    end,
    ...get(difference), eqz, ...get(given), ...constant(length), eq, and,
    end,
  ]
}

/**
 * Creates a WebAssembly module that returns 1 for `flag` and 0 for other texts. The module contains the flag only in scrambled
 * form.
 */
export function makeAttachment(flag: string): Uint8Array {
  const locked = lock(new TextEncoder().encode(flag))
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([0x60, ...list([i32]), ...list([i32])])),
    ...section(3, list([0])),
    ...section(5, list([0, 1])),
    ...section(7, list([...text('memory'), 2, 0], [...text('release'), 0, 0])),
    ...section(10, list(sized(checkCode(locked.length)))),
    ...section(11, list([0, ...constant(lockedAt), end, ...sized([...locked])])),
  ])
}

if (import.meta.main) writeFileSync(process.env.OUTPUT ?? '', makeAttachment(process.env.FLAG ?? ''))
