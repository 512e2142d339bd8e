import { readFileSync } from 'node:fs'
import type { Plugin, Rolldown } from 'vite'
import { brotliOf } from './compressed-files.ts'

/** Most script that a page of visitors or players may load: bytes as they travel, and files. A browser's count is e2e's `weight` test. */
const most = { bytes: 200_000, files: 15 }

/** Of every answer, bytes. */
const headerBytes = 330

/** What pages load by themselves once they are there, by the beginning of their names. */
const followUps: Readonly<Record<string, readonly string[]>> = {
  '/routes/game/': ['/signalr/dist/esm/index.js'],
  '/routes/game/overview.': ['/lib/markdown.ts'],
  '/routes/posts/post.': ['/lib/markdown.ts'],
}

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
        ...Object.entries(followUps).flatMap(([start, modules]) => (page.startsWith(start) ? modules : [])),
        ...['common', ...areas].map((area) => `/locales/en-US/${area}.ts`),
      ],
    }))

/** Fails a build in which a page of visitors or players loads more script than `most`; says how much each loads. */
export function firstLoadBudget(): Plugin {
  return {
    name: 'capstan-first-load-budget',
    apply: 'build',
    generateBundle: {
      // Once the entry names what comes with each page.
      order: 'post',
      async handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const needs = startPages().map(({ page, modules }) => ({ page, needed: neededFor(chunks, modules) }))
        const sizes = new Map(
          await Promise.all(
            [...new Set(needs.flatMap(({ needed }) => [...needed]))].map(
              async (chunk) => [chunk, (await brotliOf(Buffer.from(chunk.code))).length + headerBytes] as const,
            ),
          ),
        )
        const loads = needs.map(({ page, needed }) => ({
          page,
          files: needed.size,
          bytes: [...needed].reduce((sum, chunk) => sum + (sizes.get(chunk) ?? 0), 0),
        }))
        for (const { page, files, bytes } of loads)
          this.info(`Script of ${page}: ${(bytes / 1000).toFixed(1)} kB in ${files} files`)
        const heavy = loads.filter(({ files, bytes }) => bytes > most.bytes || files > most.files).map(({ page }) => page)
        if (heavy.length > 0)
          this.error(`More than ${most.bytes / 1000} kB or ${most.files} files of script for ${heavy.join(', ')}`)
      },
    },
  }
}

/** The entry, these modules and all they need. @throws Error if one has no chunk of its own */
function neededFor(chunks: readonly Rolldown.OutputChunk[], modules: readonly string[]): ReadonlySet<Rolldown.OutputChunk> {
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
  return needed
}
