#!/usr/bin/env node
// Usage: npm run dev -- [options of npm start]
//
// Runs the product with hot reload. The platform restarts when its sources change, and Vite serves the web client on port 5173.
import { spawn } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { buildWeb, environmentWithPinnedNode, prepareNodeProgram, root, runMain, runStep } from './bootstrap.mjs'

await runMain(async () => {
  const node = await prepareNodeProgram()
  await runStep('Building the web client', () => buildWeb(node))
  const env = environmentWithPinnedNode(node)
  const platform = [path.join(root, 'scripts', 'standalone.ts'), '--port', '8080', '--data', path.join(root, '.capstan')]
  const children = [
    spawn(node, ['--watch-preserve-output', '--watch', ...platform, ...process.argv.slice(2)], { env, stdio: 'inherit' }),
    spawn(node, [path.join(root, 'node_modules', 'vite', 'bin', 'vite.js'), '--port', '5173'], {
      cwd: path.join(root, 'web'),
      env: { ...env, CAPSTAN_API: 'http://127.0.0.1:8080' },
      stdio: 'inherit',
    }),
  ]
  const stop = () => {
    for (const child of children) child.kill('SIGINT')
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once('close', resolve))))
  return codes.some(Boolean) ? 1 : 0
})
