import type { Plugin } from 'vite'
import { brotliOf } from './compressed-files.ts'
import { neededFor, type StartPage, startPages } from './start-pages.ts'

/** Most script that a page of visitors or players may load: bytes as they travel, and files. A browser's count is e2e's `weight` test. */
const most = { bytes: 220_000, files: 20 }

/** Of every answer, bytes. */
const headerBytes = 330

/** What pages load by themselves once they are there, by the beginning of their names. */
const followUps: Readonly<Record<string, readonly string[]>> = {
  '/routes/game/': ['/signalr/dist/esm/index.js'],
  '/routes/game/overview.': ['/lib/markdown.ts'],
  '/routes/posts/post.': ['/lib/markdown.ts'],
}

/** Modules that are loaded for a page, its texts among them. */
function modulesOf({ page, areas, modules }: StartPage): string[] {
  return [
    ...modules,
    ...Object.entries(followUps).flatMap(([start, more]) => (page.startsWith(start) ? more : [])),
    ...['common', ...areas].map((area) => `/locales/en-US/${area}.ts`),
  ]
}

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
        const needs = startPages().map((start) => ({ page: start.page, needed: neededFor(chunks, modulesOf(start)) }))
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
