import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

/** Most script that a page may need before it shows, bytes after gzip. */
const firstLoadMaxBytes = 200_000

const router = new URL('../src/app/router.tsx', import.meta.url)
/** A page of the router with the areas of its texts: `import('../routes/home.tsx'), 'home'`. */
const pagePattern = /import\('\.\.(\/routes\/[\w/-]+\.tsx)'\)((?:,\s*'[\w-]+')*)/g
/** Pages of organizers, who come to work for hours. */
const isOfOrganizers = (page: string) => /\/(admin|monitor)\/|\/post-edit\./.test(page)

interface StartPage {
  readonly page: string
  /** Ends of the names of all modules that are loaded for it. */
  readonly modules: readonly string[]
}

/** Every page of visitors and players, as the router has them. */
const startPages = (): StartPage[] =>
  [...readFileSync(router, 'utf8').matchAll(pagePattern)]
    .map(([, page = '', areas = '']) => ({ page, areas: areas.match(/[\w-]+/g) ?? [] }))
    .filter(({ page }) => !isOfOrganizers(page))
    .map(({ page, areas }) => ({
      page,
      modules: [
        page,
        ...(page.startsWith('/routes/game/') ? ['/layout/game-layout.tsx'] : []),
        ...['common', ...areas].map((area) => `/locales/en-US/${area}.ts`),
      ],
    }))

/** Fails a build in which a page of visitors or players needs more script than `firstLoadMaxBytes`; says how much each needs. */
export function firstLoadBudget(): Plugin {
  return {
    name: 'capstan-first-load-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const loads = startPages().map(({ page, modules }) => ({ page, bytes: bytesOf(chunks, modules) }))
      for (const { page, bytes } of loads) this.info(`First load of ${page}: ${(bytes / 1000).toFixed(1)} kB of script`)
      const heavy = loads.filter(({ bytes }) => bytes > firstLoadMaxBytes).map(({ page }) => page)
      if (heavy.length > 0) this.error(`More than ${firstLoadMaxBytes / 1000} kB of script before ${heavy.join(', ')}`)
    },
  }
}

/** Compressed size of the entry, these modules and all they need. @throws Error if one has no chunk of its own */
function bytesOf(chunks: readonly Rolldown.OutputChunk[], modules: readonly string[]): number {
  const needed = new Set<Rolldown.OutputChunk>()
  const need = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || needed.has(chunk)) return
    needed.add(chunk)
    for (const name of chunk.imports) need(chunks.find(({ fileName }) => fileName === name))
  }
  need(chunks.find(({ isEntry }) => isEntry))
  for (const source of modules) {
    const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(source))
    if (!chunk) throw new Error(`The bundle has no chunk of its own for ${source}`)
    need(chunk)
  }
  return [...needed].reduce((sum, { code }) => sum + gzipSync(code).length, 0)
}
