#!/usr/bin/env node
// Usage: npm run bench -- [JOB ...] [--profile DIR] [--help]
//
// Measures the product and the limits of this machine, and prints the results. It runs bench/main.ts on the pinned Node.
import path from 'node:path'
import process from 'node:process'
import { buildWeb, environmentWithPinnedNode, prepareNodeProgram, root, runCommand, runMain, runStep } from './bootstrap.mjs'

await runMain(async () => {
  const node = await prepareNodeProgram()
  await runStep('Building the web client', () => buildWeb(node))
  // Ignore Ctrl-C here. The terminal also sends it to the bench, which then stops its processes.
  process.on('SIGINT', () => {})
  const main = path.join(root, 'bench', 'main.ts')
  const { code } = await runCommand(node, [main, ...process.argv.slice(2)], { show: true, env: environmentWithPinnedNode(node) })
  return code
})
