import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Text of the page that is the same for everybody; `index.html` is not. */
function isText(name: string) {
  return /\.(js|css|svg)$/.test(name)
}
/** Below this a compressed file saves no packet. */
const leastBytes = 1024

const brotli = promisify(brotliCompress)

/** As small as it gets: done once, not for every visitor. */
export function brotliOf(bytes: Uint8Array): Promise<Buffer> {
  return brotli(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  })
}

/** Puts a `.br` and a `.gz` beside every text of the build, for the server to send as they are. */
export function compressedFiles(): Plugin {
  return {
    name: 'capstan-compressed-files',
    apply: 'build',
    writeBundle: {
      // Besides the bundle there are the files of `public`.
      order: 'post',
      sequential: true,
      async handler({ dir = '.' }) {
        const files = (await readdir(dir, { recursive: true })).filter(isText).map((name) => path.join(dir, name))
        await Promise.all(
          files.map(async (file) => {
            const bytes = await readFile(file)
            if (bytes.length < leastBytes) return
            await Promise.all([
              brotliOf(bytes).then((small) => writeFile(`${file}.br`, small)),
              promisify(gzip)(bytes, { level: 9 }).then((small) => writeFile(`${file}.gz`, small)),
            ])
          }),
        )
      },
    },
  }
}
