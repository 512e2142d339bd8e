// The thread that reads one archive: `archive-thread.ts` starts it.
import { parentPort, workerData } from 'node:worker_threads'
import type { ArchiveReport, ArchiveThreadData } from './archive-thread.ts'
import { filesOf } from './plan.ts'
import { readArchive } from './read-archive.ts'
import { findContent } from './read-package.ts'
import { openArchive, UnfitArchive } from './zip-archive.ts'

const port = parentPort
if (!port) throw new Error('This program is a thread of another')

const read = async ({ archivePath }: ArchiveThreadData): Promise<ArchiveReport> => {
  const archive = await openArchive(archivePath)
  try {
    const result = readArchive(archive.tree)
    const poster = result.game?.posterHash == null ? undefined : findContent(archive.tree, result.game.posterHash)
    const needed = new Set([
      ...result.challenges.flatMap(({ plan }) => (plan === undefined ? [] : filesOf(plan))).map(({ path }) => path),
      ...(poster === undefined ? [] : [poster]),
    ])
    return { kind: 'read', archive: { ...result, files: new Map([...needed].map((path) => [path, archive.locate(path)])) } }
  } finally {
    archive.close()
  }
}

try {
  port.postMessage(await read(workerData as ArchiveThreadData))
} catch (cause) {
  if (!(cause instanceof UnfitArchive)) throw cause
  port.postMessage({ kind: 'unfit', why: cause.message } satisfies ArchiveReport)
}
port.close()
