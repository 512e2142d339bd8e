import { execFile } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Plugin } from 'vitest/config'

const root = path.join(import.meta.dirname, '..', '..')
const folder = path.join(root, 'node_modules', '.cache', 'capstan', 'tests')
const bundler = path.join(root, 'services', 'sources', 'bundle.mjs')

/** Matches an address that a source gives to a worker thread or to a child process. */
const program = /new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)(?!\.href)/g

function listPrograms(source: string, id: string): string[] {
  if (id.includes('node_modules')) return []
  return Array.from(source.matchAll(program)).flatMap(([, name]) => name ?? [])
}

/**
 * Creates a plugin that bundles the programs of worker threads and child processes, as the images do. Tests start these programs
 * hundreds of times. Loading the sources takes several times the processor time of loading a bundle.
 */
export function bundlePrograms(): Plugin {
  const bundles = new Map<string, Promise<string>>()
  const bundle = async (file: string): Promise<string> => {
    await promisify(execFile)(process.execPath, [bundler, '--to', folder, path.relative(root, file)], { cwd: root })
    return path.join(folder, path.relative(root, file).replace(/\.ts$/, '.bundle.mjs'))
  }
  return {
    name: 'capstan-bundle-programs',
    enforce: 'pre',
    // Do not cache a source file with a program, because each run bundles the program again.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id, sourceCode }) => (listPrograms(sourceCode, id).length > 0 ? false : undefined))
    },
    async transform(source, id) {
      const names = listPrograms(source, id)
      if (names.length === 0) return undefined
      const addresses = new Map<string, string>()
      for (const name of names) {
        const file = path.join(path.dirname(id), name)
        const built = bundles.get(file) ?? bundle(file)
        bundles.set(file, built)
        addresses.set(name, pathToFileURL(await built).href)
      }
      return {
        code: source.replaceAll(program, (_, name: string) => `new URL(${JSON.stringify(addresses.get(name))})`),
        map: null,
      }
    },
  }
}
