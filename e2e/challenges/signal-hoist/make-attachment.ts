import { writeFileSync } from 'node:fs'
import { type Color, drawPng } from '../png.ts'

const white: Color = [244, 243, 238]
const blue: Color = [28, 74, 148]
const red: Color = [196, 40, 44]
const yellow: Color = [240, 196, 52]
const black: Color = [26, 26, 30]

/**
 * Flags of the International Code of Signals. Each function returns the color at a point, from (0, 0) at the upper hoist to (1,
 * 1) at the lower fly. The color is undefined in a cut-out of the flag.
 */
const designs: Readonly<Record<string, (x: number, y: number) => Color | undefined>> = {
  A: (x, y) => (x < 0.5 ? white : x > 0.7 + 0.6 * Math.abs(y - 0.5) ? undefined : blue),
  C: (_x, y) => [blue, white, red, white, blue][Math.floor(y * 5)],
  D: (_x, y) => (y > 0.25 && y < 0.75 ? blue : yellow),
  E: (_x, y) => (y < 0.5 ? blue : red),
  H: (x) => (x < 0.5 ? white : red),
  L: (x, y) => (x < 0.5 === y < 0.5 ? yellow : black),
  N: (x, y) => ((Math.floor(x * 4) + Math.floor(y * 4)) % 2 === 0 ? blue : white),
  O: (x, y) => (x > y ? red : yellow),
  P: (x, y) => (inSquare(x, y) ? white : blue),
  S: (x, y) => (inSquare(x, y) ? blue : white),
  T: (x) => [red, white, blue][Math.floor(x * 3)],
}
function inSquare(x: number, y: number): boolean {
  return Math.abs(x - 0.5) < 0.19 && Math.abs(y - 0.5) < 0.19
}

const cell = { width: 84, height: 72 }
const cloth = { width: 66, height: 52 }
const margin = 36

/** Draws the words of `flag` as signal flags, one line for each word. */
export function makeAttachment(flag: string): Uint8Array {
  const words = flag.replace(/^flag\{|\}$/g, '').split('_')
  const unknown = words.join('').match(new RegExp(`[^${Object.keys(designs).join('')}]`))
  if (unknown) throw new Error(`There is no design for the flag '${unknown[0]}'`)
  const width = 2 * margin + cell.width * Math.max(...words.map((word) => word.length))
  const height = 2 * margin + cell.height * words.length

  return drawPng(width, height, (x, y) => {
    const dawn = y / height
    const sky: Color = [Math.round(92 + 120 * dawn), Math.round(128 + 60 * dawn), Math.round(160 + 4 * dawn)]
    const line = Math.floor((y - margin) / cell.height)
    const word = words[line]
    if (word === undefined || y < margin) return sky
    const down = y - margin - line * cell.height
    const place = Math.floor((x - margin) / cell.width)
    const right = x - margin - place * cell.width
    const letter = x < margin ? undefined : word[place]
    const insideCloth = right < cloth.width && down >= 8 && down < 8 + cloth.height
    const color = letter && insideCloth ? designs[letter]?.(right / cloth.width, (down - 8) / cloth.height) : undefined
    if (color) return color
    return Math.abs(down - 6) < 1 ? [60, 52, 44] : sky
  })
}

if (import.meta.main) writeFileSync(process.env.OUTPUT ?? '', makeAttachment(process.env.FLAG ?? ''))
