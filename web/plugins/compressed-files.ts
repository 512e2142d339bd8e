import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** True for text files that are the same for every visitor. False for `index.html`. */
function isText(name: string) {
  return /\.(js|css|svg)$/.test(name)
}
/** Minimum size of a file to compress, in bytes. A smaller file fits into one network packet without compression. */
const minBytes = 1024

/** Maximum number of files to compress at once. The build has hundreds of files, more than a process may open at once. */
const maxOpenFiles = 8

const brotli = promisify(brotliCompress)

/** Compresses at the highest level. The time is spent once per build, not per visitor. */
export function compressWithBrotli(bytes: Uint8Array): Promise<Buffer> {
  return brotli(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  })
}

async function writeCompressedFile(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < minBytes) return
  await Promise.all([
    compressWithBrotli(bytes).then((small) => writeFile(`${file}.br`, small)),
    promisify(gzip)(bytes, { level: 9 }).then((small) => writeFile(`${file}.gz`, small)),
  ])
}

/** Writes a `.br` and a `.gz` next to every text file of the build. The server sends them unchanged. */
export function writeCompressedFiles(): Plugin {
  return {
    name: 'capstan-compressed-files',
    apply: 'build',
    writeBundle: {
      // Run after all other plugins, because the build must be complete.
      order: 'post',
      sequential: true,
      async handler({ dir = '.' }) {
        const names = await readdir(dir, { recursive: true })
        // All workers take their next file from one iterator.
        const files = names.filter(isText).values()
        const work = async () => {
          for (const name of files) await writeCompressedFile(path.join(dir, name))
        }
        await Promise.all(Array.from({ length: maxOpenFiles }, work))
      },
    },
  }
}
