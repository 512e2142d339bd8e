import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Rolldown } from 'vite'
import { paths } from '../src/lib/paths.ts'

const router = path.join(import.meta.dirname, '../src/app/router.tsx')
/** A page of the router with the areas of its texts: `path: paths.home.pattern, ...page(() => import('../routes/home.tsx'), 'home')`. */
const pagePattern =
  /path: paths\.(\w+)\.pattern,\s*\.\.\.page\(\s*\(\) => import\('\.\.(\/routes\/[\w/-]+\.tsx)'\)((?:,\s*'[\w-]+')*)/g
/** Pages of organizers, who come to work for hours. */
function isOfOrganizers(page: string) {
  return /\/(admin|monitor)\/|\/post-edit\./.test(page)
}

/** A page that visitors and players come to. */
export type StartPage = Readonly<{
  /** File of the page below `src`: `/routes/home.tsx`. */
  page: string
  /** Of its addresses, as the router has it: `/games/:id`. */
  pattern: string
  /** Of its texts, beside the common ones. */
  areas: readonly string[]
  /** Ends of the names of the modules that are loaded for it, beside texts. */
  modules: readonly string[]
}>

/** Every page of visitors and players, as the router has them. */
export function startPages(): StartPage[] {
  return [...readFileSync(router, 'utf8').matchAll(pagePattern)]
    .map(([, name = '', page = '', areas = '']) => ({
      page,
      pattern: paths[name as keyof typeof paths].pattern,
      areas: areas.match(/[\w-]+/g) ?? [],
      modules: [page, ...(page.startsWith('/routes/game/') ? ['/layout/game-layout.tsx'] : [])],
    }))
    .filter(({ page }) => !isOfOrganizers(page))
}

/** Source of an expression for the addresses of a pattern of the router, which ignores case and a slash at the end. */
export function addressPattern(pattern: string): string {
  const parts = pattern.split('/').filter((part) => part !== '')
  const part = (name: string) => {
    if (!name.startsWith(':')) return `/${name}`
    return name.endsWith('?') ? '(?:/[\\w-]+)?' : name === ':id' ? '/([1-9]\\d{0,9})' : '/[\\w-]+'
  }
  return `^${parts.map(part).join('')}/?$`
}

/** The chunk of a module that is loaded on demand. @throws Error if it has none of its own */
export function chunkOf(chunks: readonly Rolldown.OutputChunk[], module: string): Rolldown.OutputChunk {
  const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module))
  if (!chunk) throw new Error(`The bundle has no chunk of its own for ${module}`)
  return chunk
}

/** The entry, these modules and all they need. @throws Error if one has no chunk of its own */
export function neededFor(
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
  for (const module of modules) need(chunkOf(chunks, module))
  return needed
}
