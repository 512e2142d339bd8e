import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'vite'
import { paths } from '../src/lib/paths.ts'

const router = path.join(import.meta.dirname, '../src/app/router.tsx')
/**
 * Matches a route in `router.tsx` that names a page and the areas of its texts: `path: paths.home.pattern, ...page(() =>
 * import('../routes/home.tsx'), 'home')`.
 */
const pagePattern =
  /path: paths\.(\w+)\.pattern,\s*\.\.\.page\(\s*\(\) => import\('\.\.(\/routes\/[\w/-]+\.tsx)'\)((?:,\s*'[\w-]+')*)/g
/** True if only organizers use the page. They use it for hours, so the size of its first load matters less. */
function isOfOrganizers(page: string) {
  return /\/(admin|monitor)\/|\/post-edit\./.test(page)
}

/** Page that a visitor or player may open first. */
export type StartPage = Readonly<{
  /** Path of the page's file below `src`: `/routes/home.tsx`. */
  page: string
  /** Router pattern of the page's addresses: `/games/:id`. */
  pattern: string
  /** Text areas of the page, in addition to the areas that every page needs. */
  areas: readonly string[]
}>

/** Returns every visitor and player page of the router. */
export function listStartPages(): StartPage[] {
  return [...readFileSync(router, 'utf8').matchAll(pagePattern)]
    .map(([, name = '', page = '', areas = '']) => ({
      page,
      pattern: paths[name as keyof typeof paths].pattern,
      areas: areas.match(/[\w-]+/g) ?? [],
    }))
    .filter(({ page }) => !isOfOrganizers(page))
}

/**
 * Returns the source of a regular expression that matches the addresses of a router pattern. It ignores case and a trailing
 * slash.
 */
export function regexSourceOfRoute(pattern: string): string {
  const parts = pattern.split('/').filter((part) => part !== '')
  const part = (name: string) => {
    if (!name.startsWith(':')) return `/${name}`
    return name.endsWith('?') ? '(?:/[\\w-]+)?' : name === ':id' ? '/([1-9]\\d{0,9})' : '/[\\w-]+'
  }
  return `^${parts.map(part).join('')}/?$`
}

/**
 * Returns the chunk of a module that is loaded on demand.
 * @throws Error if the module has no separate chunk
 */
export function findChunkOfModule(chunks: readonly Rolldown.OutputChunk[], module: string): Rolldown.OutputChunk {
  const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module))
  if (!chunk) throw new Error(`The bundle has no separate chunk for ${module}`)
  return chunk
}

/**
 * Returns the chunks of the entry script and of the given modules, together with all chunks that these chunks import.
 * @throws Error if a module has no separate chunk
 */
export function listChunksWithImports(
  chunks: readonly Rolldown.OutputChunk[],
  modules: readonly string[],
): ReadonlySet<Rolldown.OutputChunk> {
  const needed = new Set<Rolldown.OutputChunk>()
  const need = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || needed.has(chunk)) return
    needed.add(chunk)
    for (const name of chunk.imports) need(chunks.find(({ fileName }) => fileName === name))
  }
  need(chunks.find(({ isEntry }) => isEntry))
  for (const module of modules) need(findChunkOfModule(chunks, module))
  return needed
}
