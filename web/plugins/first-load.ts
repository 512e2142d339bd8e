import type { Plugin } from 'vite'
import { compressWithBrotli } from './compressed-files.ts'
import { listChunksWithImports, listStartPages, type StartPage } from './start-pages.ts'

/**
 * Maximum number of scripts that a visitor or player page may load, and their maximum total size after compression, in bytes. The
 * e2e test `weight` measures both values in a browser.
 */
const maxLoad = { bytes: 220_000, files: 20 }

/** Estimated size of the response headers, in bytes. */
const headerBytes = 330

/** Modules that a page loads only after its first paint. The key is the beginning of the page's file name. */
const followUps: Readonly<Record<string, readonly string[]>> = {
  '/routes/game/': ['/signalr/dist/esm/index.js'],
  '/routes/game/overview.': ['/lib/markdown.ts'],
  '/routes/posts/post.': ['/lib/markdown.ts'],
}

/** Returns the modules that are loaded for a page, including its texts. */
function modulesOf({ page, areas }: StartPage): string[] {
  return [
    page,
    ...Object.entries(followUps).flatMap(([start, more]) => (page.startsWith(start) ? more : [])),
    ...['common', ...areas].map((area) => `/locales/en-US/${area}.ts`),
  ]
}

/**
 * True if a module belongs to the schema library. Pages must not load this library, so constants that pages need are in modules
 * without schemas.
 */
function isOfSchemas(moduleId: string): boolean {
  return moduleId.includes('/node_modules/typebox/')
}

/**
 * Fails the build if a visitor or player page loads more script than `maxLoad`, or loads the schema library. Prints the size for
 * each page.
 */
export function enforceFirstLoadBudget(): Plugin {
  return {
    name: 'capstan-first-load-budget',
    apply: 'build',
    generateBundle: {
      // Run after the other plugins, when the entry script already names the files of each page.
      order: 'post',
      async handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const needs = listStartPages().map((start) => ({
          page: start.page,
          needed: listChunksWithImports(chunks, modulesOf(start)),
        }))
        const sizes = new Map(
          await Promise.all(
            [...new Set(needs.flatMap(({ needed }) => [...needed]))].map(
              async (chunk) => [chunk, (await compressWithBrotli(Buffer.from(chunk.code))).length + headerBytes] as const,
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
        const heavy = loads.filter(({ files, bytes }) => bytes > maxLoad.bytes || files > maxLoad.files).map(({ page }) => page)
        const withSchemas = needs.filter(({ needed }) => [...needed].some(({ moduleIds }) => moduleIds.some(isOfSchemas)))
        if (withSchemas.length > 0)
          this.error(`The library of schemas is in the script of ${withSchemas.map(({ page }) => page).join(', ')}`)
        if (heavy.length > 0)
          this.error(`More than ${maxLoad.bytes / 1000} kB or ${maxLoad.files} files of script for ${heavy.join(', ')}`)
      },
    },
  }
}
