import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { storedZip } from '@capstan/challenge-files/stored-zip'

export function packFiles(files: readonly { readonly name: string; readonly content: Uint8Array }[]): Promise<Buffer> {
  return buffer(
    storedZip(
      files.map((file) => ({ ...file, sizeBytes: file.content.length, crc: crc32(file.content) })),
      ({ content }) => [content],
    ),
  )
}
