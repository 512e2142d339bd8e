#!/usr/bin/env node
// Usage: npm run corpus -- [--json] FOLDER
//
// Measures how well the challenges of other platforms are imported. It reads every checked-out repository in FOLDER. For each
// format, it prints how many challenges are imported, refused, or changed by an export and an import, and how many jailed images
// are converted. It writes nothing. It runs services/cli/src/corpus/main.ts on the pinned Node.
import path from 'node:path'
import process from 'node:process'
import { environmentWithPinnedNode, prepareNodeProgram, root, runCommand, runMain } from './bootstrap.mjs'

await runMain(async () => {
  const node = await prepareNodeProgram()
  const main = path.join(root, 'services', 'cli', 'src', 'corpus', 'main.ts')
  const { code } = await runCommand(node, [main, ...process.argv.slice(2)], {
    show: true,
    env: environmentWithPinnedNode(node),
    cwd: process.cwd(),
  })
  return code
})
