export const sniffedImageBytes = 16

/**
 * First bytes of each image format. They determine the type of an image whose address has no file extension
 * (`/assets/{hash}/avatar`).
 */
const imageSignatures: readonly Readonly<{ type: string; matches: (head: Buffer) => boolean }>[] = [
  {
    type: 'image/webp',
    matches: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
  },
  { type: 'image/gif', matches: (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6)) },
  { type: 'image/png', matches: (head) => head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')) },
  { type: 'image/jpeg', matches: (head) => head.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) },
  { type: 'image/avif', matches: (head) => head.toString('latin1', 4, 12) === 'ftypavif' },
]

/** Returns the actual type of an image from its first bytes. @returns undefined for any other content */
export function detectImageType(head: Buffer): string | undefined {
  return imageSignatures.find(({ matches }) => matches(head))?.type
}
