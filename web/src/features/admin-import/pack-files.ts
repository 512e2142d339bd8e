import { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import type { Collected } from './collect-files.ts'

// Use no workers. The library uses workers only for compression, and these archives are not compressed.
configure({ useWebWorkers: false })

/**
 * Packs collected files into an archive without compression. Compression would block the page, and would save little, because most
 * files are already compressed.
 */
export async function packFiles(collected: Collected): Promise<File> {
  if ('archive' in collected) return collected.archive
  const zip = new ZipWriter(new Uint8ArrayWriter(), { level: 0, lastModDate: new Date(1980, 0, 2) })
  for (const { path, file } of collected.files)
    await zip.add(path, new Uint8ArrayReader(new Uint8Array(await file.arrayBuffer())))
  const bytes = await zip.close()
  return new File([bytes], `${collected.name}.zip`, { type: 'application/zip' })
}
