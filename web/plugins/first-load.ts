import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/** Most script that the first page may need, bytes after gzip. */
const firstLoadMaxBytes = 200_000

/** Pages that visitors come to first, and the texts that every page waits for. */
const startPages = [
  'home',
  'games',
  'about',
  'posts/posts',
  'posts/post',
  'account/login',
  'account/register',
  'game/overview',
].map((page) => `/src/routes/${page}.tsx`)
const commonTexts = '/src/locales/en-US/common.ts'

/** Fails a build whose start pages need more script than `firstLoadMaxBytes`; says how much they need. */
export function firstLoadBudget(): Plugin {
  return {
    name: 'capstan-first-load-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const loads = startPages.map((page) => ({ page, bytes: bytesBefore(chunks, page) }))
      for (const { page, bytes } of loads) this.info(`First load of ${page}: ${(bytes / 1000).toFixed(1)} kB of script`)
      const heavy = loads.filter(({ bytes }) => bytes > firstLoadMaxBytes).map(({ page }) => page)
      if (heavy.length > 0) this.error(`More than ${firstLoadMaxBytes / 1000} kB of script before ${heavy.join(', ')}`)
    },
  }
}

/** Compressed size of all chunks that are needed before a page shows. @throws Error if the bundle lacks one */
function bytesBefore(chunks: readonly Rolldown.OutputChunk[], page: string): number {
  const needed = new Set<Rolldown.OutputChunk>()
  const need = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || needed.has(chunk)) return
    needed.add(chunk)
    for (const name of chunk.imports) need(chunks.find(({ fileName }) => fileName === name))
  }
  need(chunks.find(({ isEntry }) => isEntry))
  for (const source of [page, commonTexts]) {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(source))
    if (!chunk) throw new Error(`The bundle has no chunk of its own for ${source}`)
    need(chunk)
  }
  return [...needed].reduce((sum, { code }) => sum + gzipSync(code).length, 0)
}
