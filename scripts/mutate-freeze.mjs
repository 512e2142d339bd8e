#!/usr/bin/env node
// Usage: npm run mutate:freeze -- [WORD ...]
//
// Removes each filter of the freeze in turn, and shows that the leak test then fails. Runs scripts/freeze/main.ts on the pinned
// Node.
import path from 'node:path'
import process from 'node:process'
import { environmentWithPinnedNode, prepareNodeProgram, root, runCommand, runMain } from './bootstrap.mjs'

await runMain(async () => {
  const node = await prepareNodeProgram()
  const main = path.join(root, 'scripts', 'freeze', 'main.ts')
  const { code } = await runCommand(node, [main, ...process.argv.slice(2)], { show: true, env: environmentWithPinnedNode(node) })
  return code
})
