import process from 'node:process'
import { run } from './run.ts'

process.exitCode = run(process.argv.slice(2), {
  line: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
})
