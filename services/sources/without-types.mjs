// Usage: node --import ./services/sources/without-types.mjs PROGRAM
//
// Loads the TypeScript files of this repository from copies without their types, so that no process keeps Node's own stripper in
// memory: 35 MB in the api and as much again in its threads. A copy is made when it is missing or its source has changed. ADR 52.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, unlink, writeFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'

const root = fileURLToPath(new URL('../..', import.meta.url))
const copies = path.join(root, 'node_modules', '.cache', 'capstan-sources')

/** The last line of a copy says what it was made from, and by which stripper. */
const markOf = (source) => `\n// ${createHash('sha256').update(source).update(process.version).digest('hex')}`

const readCopy = (file) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Where nothing can be written, as in a container, files without a copy are stripped each time. */
const keepCopy = (place, text) => {
  const unfinished = `${place}.${process.pid}-${threadId}`
  try {
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(unfinished, text)
    renameSync(unfinished, place)
  } catch {
    unlink(unfinished, () => {})
  }
}

/** @returns {string} the file's text with spaces in place of its types: lines and columns stay what they were */
export const readWithoutTypes = (file) => {
  const source = readFileSync(file, 'utf8')
  const place = path.join(copies, path.relative(root, file))
  const mark = markOf(source)
  const copy = readCopy(place)
  if (copy?.endsWith(mark)) return copy
  const made = stripTypeScriptTypes(source) + mark
  keepCopy(place, made)
  return made
}

const ours = new URL('../..', import.meta.url).href

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(ours) || !url.endsWith('.ts') || url.includes('/node_modules/')) return nextLoad(url, context)
    return { format: 'module', source: readWithoutTypes(fileURLToPath(url)), shortCircuit: true }
  },
})
