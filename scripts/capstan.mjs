#!/usr/bin/env node
// Usage: npx capstan COMMAND …, or: node scripts/capstan.mjs COMMAND …
//
// Command line tool of organizers, for use in a clone. It runs services/cli/src/main.ts on the pinned Node.
import path from 'node:path'
import process from 'node:process'
import { environmentWithPinnedNode, prepareNodeProgram, root, runCommand, runMain } from './bootstrap.mjs'

await runMain(async () => {
  const node = await prepareNodeProgram()
  // Ignore Ctrl-C here. The terminal also sends it to the command, which handles it.
  process.on('SIGINT', () => {})
  const main = path.join(root, 'services', 'cli', 'src', 'main.ts')
  const { code } = await runCommand(node, [main, ...process.argv.slice(2)], {
    show: true,
    env: environmentWithPinnedNode(node),
    cwd: process.cwd(),
  })
  return code
})
