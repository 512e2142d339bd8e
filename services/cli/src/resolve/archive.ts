import { zipSync } from 'fflate'

/** The first instant that a zip can hold, by the clock on the wall: the same bytes in every time zone. */
const epoch = new Date(1980, 0, 1)

/** A zip that is the same for the same files, whoever packs it, whenever: stored, not compressed, for compressors differ. */
export const packFiles = (files: readonly { readonly name: string; readonly content: Uint8Array }[]): Uint8Array =>
  zipSync(
    Object.fromEntries(
      [...files]
        .sort((left, right) => (left.name < right.name ? -1 : 1))
        .map(({ name, content }) => [name, Uint8Array.from(content)]),
    ),
    { level: 0, mtime: epoch },
  )
