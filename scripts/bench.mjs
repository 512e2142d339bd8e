#!/usr/bin/env node
// Usage: npm run bench -- [JOB ...] [--profile DIR] [--help]
//
// Measures the product and the limits of this machine, and prints both. It runs bench/main.ts on the pinned Node.
import path from 'node:path'
import process from 'node:process'
import { buildWeb, execute, pinnedEnvironment, prepare, root, run, step } from './bootstrap.mjs'

await run(async () => {
  const node = await prepare()
  await step('Building the web client', () => buildWeb(node))
  // Ctrl-C also reaches the bench, which then stops its processes.
  process.on('SIGINT', () => {})
  const main = path.join(root, 'bench', 'main.ts')
  const { code } = await execute(node, [main, ...process.argv.slice(2)], { show: true, env: pinnedEnvironment(node) })
  return code
})
