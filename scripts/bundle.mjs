#!/usr/bin/env node
// Usage: npm run bundle -w services/cli [-- FOLDER]
//
// Bundles the command line tool of organizers into one file, capstan.mjs. The file runs on any machine with Node 24, without a
// clone and without packages. It is written into FOLDER (default: services/cli/dist) and ends with the licenses of its content.
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { environmentWithPinnedNode, PlainError, prepareNodeProgram, root, runCommand, runMain, runStep } from './bootstrap.mjs'

await runMain(async () => {
  const node = await prepareNodeProgram()
  const command = path.join(root, 'services', 'cli')
  // Use INIT_CWD, because npm runs a script in the folder of its package. INIT_CWD is the folder of the caller.
  const folder = path.resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? path.join(command, 'dist'))
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const config = path.join(command, 'bundle.config.ts')
  const file = path.join(folder, 'capstan.mjs')
  await runStep('Bundling the command', async () => {
    const { code, output } = await runCommand(
      node,
      [vite, 'build', '--config', config, '--outDir', folder, '--logLevel', 'warn'],
      {
        env: environmentWithPinnedNode(node),
        cwd: command,
      },
    )
    if (code !== 0) throw new PlainError(`The command could not be bundled:\n${output.trim()}`)
    const licenses = path.join(folder, 'licenses.md')
    const notes = [readFileSync(path.join(root, 'LICENSE'), 'utf8'), readFileSync(licenses, 'utf8')].join('\n')
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n/*\n${notes.replaceAll('*/', '* /')}*/\n`)
    rmSync(licenses)
    chmodSync(file, 0o755)
  })
  console.log(file)
})
