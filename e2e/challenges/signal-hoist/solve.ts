import { inflateSync } from 'node:zlib'
import type { SolveContext } from '../solve-context.ts'

/**
 * Code book: a map from the colors at nine points of a signal flag to the letter of the flag. The three groups of colors are the
 * rows of points from top to bottom. The colors are w for white, b for blue, r for red, y for yellow, and k for black. The points
 * are at about 1/10, 1/2 and 9/10 of the width and height, never on a border between two colors.
 */
const codeBook: Readonly<Record<string, string>> = {
  'wbb wb. wbb': 'A',
  'bbb rrr bbb': 'C',
  'yyy bbb yyy': 'D',
  'bbb bbb rrr': 'E',
  'wrr wrr wrr': 'H',
  'ykk ykk kyy': 'L',
  'bbw wwb wwb': 'N',
  'yrr yrr yyr': 'O',
  'bbb bwb bbb': 'P',
  'www wbw www': 'S',
  'rwb rwb rwb': 'T',
}

/** Finds the flags in the picture, which are evenly spaced, and looks up each flag in the code book. */
export async function solve(context: SolveContext): Promise<string> {
  const picture = readPng(await context.attachment())
  const words: string[] = []
  for (let top = 44; top < picture.height - 44; top += 72) {
    let word = ''
    for (let left = 36; left < picture.width - 36; left += 84) {
      const points = [0.12, 0.46, 0.86].map((down) =>
        [0.1, 0.52, 0.9].map((right) => picture.colorAt(left + Math.round(66 * right), top + Math.round(52 * down))).join(''),
      )
      word += codeBook[points.join(' ')] ?? ''
    }
    words.push(word)
  }
  return `flag{${words.join('_')}}`
}

const paints = { w: [244, 243, 238], b: [28, 74, 148], r: [196, 40, 44], y: [240, 196, 52], k: [26, 26, 30] } as const

/**
 * Reads an 8-bit RGB picture with unfiltered rows.
 * @returns width, height, and a function that returns the color letter of a point, or '.' for the sky
 */
function readPng(file: Uint8Array) {
  const bytes = Buffer.from(file)
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const start = bytes.indexOf('IDAT')
  const pixels = inflateSync(bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start - 4)))
  const colorAt = (x: number, y: number): string => {
    const at = y * (1 + 3 * width) + 1 + 3 * x
    const seen = pixels.subarray(at, at + 3)
    const paint = Object.entries(paints).find(([, color]) =>
      color.every((part, index) => Math.abs(part - (seen[index] ?? 0)) < 24),
    )
    return paint?.[0] ?? '.'
  }
  return { width, height, colorAt }
}
