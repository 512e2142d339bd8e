import type { ImportRepairs } from '@capstan/contract/exchange'
import { readArchiveInThread } from '../archives/reading-thread.ts'
import type { ImportDeps, ReceivedArchive, SentArchive } from '../archives/received-archive.ts'
import type { ArchiveReaderOptions } from './archive-thread-main.ts'
import type { LocatedArchive } from './read-archive.ts'
import { digestOfArchiveAndRepairs } from './repairs.ts'

/** Received archive with its challenges. The repairs of the organizer are applied. */
export interface OpenArchive extends LocatedArchive, ReceivedArchive {}

const program = new URL('./archive-thread-main.ts', import.meta.url)

/**
 * Receives and reads an archive, and passes it to `use`.
 * @throws Problem `import.archive`, or `request.parameter` for a repair that does not fit
 */
export function withArchive<Result>(
  { archives, config }: Pick<ImportDeps, 'archives' | 'config'>,
  sent: SentArchive,
  repairs: ImportRepairs,
  use: (archive: OpenArchive) => Promise<Result>,
): Promise<Result> {
  return archives.receive(sent, async ({ descriptor, digest }) => {
    const given: ArchiveReaderOptions = { repairs, choices: config.instances.choices }
    const read = await readArchiveInThread<LocatedArchive>({ program, descriptor, given })
    return use({ ...read, descriptor, digest: digestOfArchiveAndRepairs(digest, repairs) })
  })
}
