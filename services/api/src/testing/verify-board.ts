import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const script = path.join(import.meta.dirname, '../../../../scripts/verify-board.mjs')

/**
 * Runs the script that verifies the public chain of a game.
 * @param key expected public key of the chain. If absent, the script accepts any key.
 * @returns the printed lines, or undefined if the script refuses the chain
 */
export async function verifyBoard(chain: string, ...key: string[]): Promise<string[] | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-chain-'))
  const file = path.join(folder, 'chain.ndjson')
  try {
    await writeFile(file, chain)
    const { stdout } = await promisify(execFile)(process.execPath, [script, file, ...key])
    return stdout.trim().split('\n')
  } catch {
    return undefined
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Script = Readonly<{
  verifyChain(chain: string, key: string): { readonly records: readonly unknown[] }
  boardOfRecords(records: readonly unknown[]): readonly Readonly<{ rank: number; team: number; score: number }>[]
}>

/** Computes a board from a public chain, and returns one line for each team. */
export async function recomputeBoardLines(chain: string, key: string): Promise<string[]> {
  const { boardOfRecords, verifyChain }: Script = await import(/* @vite-ignore */ pathToFileURL(script).href)
  return boardOfRecords(verifyChain(chain, key).records).map(({ rank, team, score }) => `${rank}\t${team}\t${score}`)
}
