import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { flagFileVariables } from '../challenge-instance/flag-file-variables.ts'

// Writes the flag of an instance into a file before the challenge starts.
function read(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const path = read(flagFileVariables.path)
// Write to a temporary name first. An interrupted start may have left a read-only file at the final name.
const unfinished = `${path}.${process.pid}`
writeFileSync(unfinished, read(flagFileVariables.text), { mode: 0o600 })
chmodSync(unfinished, Number.parseInt(read(flagFileVariables.mode), 8))
renameSync(unfinished, path)
