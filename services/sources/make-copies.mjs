// Usage: node services/sources/make-copies.mjs FOLDER...
//
// Makes the copies of all TypeScript files of these folders, for images whose file system is read-only later.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { readWithoutTypes } from './without-types.mjs'

for (const folder of process.argv.slice(2))
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name)) readWithoutTypes(path.resolve(entry.parentPath, entry.name))
