#!/usr/bin/env node
// Usage: npm run check
//
// Runs all checks and shows their failures: types, lint and formatting, imports, dialect, unused code, texts in all languages, regular
// expressions, links of the documents, used classes, plain English, facts with one source, generated copies.
import path from 'node:path'
import { environmentWithPinnedNode, prepareNodeProgram, root, runCommand, runMain } from './bootstrap.mjs'

const bin = (...parts) => path.join(root, 'node_modules', ...parts)

await runMain(async () => {
  const node = await prepareNodeProgram()
  const env = environmentWithPinnedNode(node)
  const checks = [
    ['types', [bin('typescript', 'bin', 'tsc'), '--build']],
    ['lint and formatting', [bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.']],
    ['imports inside and between packages', [path.join(root, 'scripts', 'check-imports.ts')]],
    ['one dialect of TypeScript', [path.join(root, 'scripts', 'check-dialect.ts')]],
    ['unused files, exports and packages', [bin('knip', 'bin', 'knip.js')]],
    ['texts in all languages', [path.join(root, 'scripts', 'check-locales.ts')]],
    ['linear time of regular expressions', [path.join(root, 'scripts', 'check-regexps.ts')]],
    ['links of the documents', [path.join(root, 'scripts', 'check-docs.ts')]],
    ['used classes of the web', [path.join(root, 'scripts', 'check-styles.ts')]],
    ['plain English', [path.join(root, 'scripts', 'check-english.ts')]],
    ['facts defined only once', [path.join(root, 'scripts', 'check-facts.ts')]],
    ['generated copies', [path.join(root, 'scripts', 'generate.ts'), '--check']],
  ]
  let failures = 0
  for (const [title, args] of checks) {
    const { code, output } = await runCommand(node, args, { env })
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${title}`)
    if (code !== 0) {
      failures += 1
      console.log(output)
    }
  }
  return failures > 0 ? 1 : 0
})
