#!/usr/bin/env node
// Usage: npm run bench -- [--only NAME,...] [--list] [--seconds N] [--profile DIR] [--growth [--write]] [--help]
//
// Measures the product beside what this machine can do at best, and prints both. Runs scripts/bench/main.ts on the pinned Node.
import path from 'node:path'
import process from 'node:process'
import { buildWeb, execute, pinnedEnvironment, prepare, root, run, step } from './bootstrap.mjs'

await run(async () => {
  const node = await prepare()
  await step('Building the web client', () => buildWeb(node))
  // Ctrl-C reaches the bench by itself (same terminal); it stops what it started and ends.
  process.on('SIGINT', () => {})
  const main = path.join(root, 'scripts', 'bench', 'main.ts')
  const { code } = await execute(node, [main, ...process.argv.slice(2)], { show: true, env: pinnedEnvironment(node) })
  return code
})
