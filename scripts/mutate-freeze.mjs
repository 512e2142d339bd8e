#!/usr/bin/env node
// Usage: npm run mutate:freeze -- [WORD ...]
//
// Shows that the leak test notices the absence of each freeze filter. It runs scripts/freeze/main.ts on the pinned Node.
import path from 'node:path'
import process from 'node:process'
import { execute, pinnedEnvironment, prepare, root, run } from './bootstrap.mjs'

await run(async () => {
  const node = await prepare()
  const main = path.join(root, 'scripts', 'freeze', 'main.ts')
  const { code } = await execute(node, [main, ...process.argv.slice(2)], { show: true, env: pinnedEnvironment(node) })
  return code
})
