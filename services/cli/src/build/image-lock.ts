import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { containersOf } from '@capstan/challenge-files/format/challenge'
import { capstanFileName } from '@capstan/challenge-files/format/find'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { readFileInParts } from '../content.ts'
import { writeFileInFolder } from '../folder-tree.ts'
import type { GameFolder, LoadedChallenge } from '../game-folder.ts'
import { resolvePathInFolder } from '../resolve/text.ts'

/** Name of the file that contains the digests of built images. The file is in the folder of the game. */
export const lockFileName = 'capstan.lock.json'

const LockFile = Type.Object({
  images: Type.Record(
    Type.String(),
    Type.Object({ image: Type.String(), sources: Type.String({ description: 'Digest of the sources of the image.' }) }),
  ),
})

const maxLockBytes = 4 * 1024 * 1024
const maxSourceBytes = 1024 * 1024 * 1024

type Image = Readonly<{ image: string; sources: string }>

function readLock({ tree }: GameFolder): Record<string, Image> {
  if (!tree.paths.includes(lockFileName)) return {}
  let read: unknown
  try {
    read = JSON.parse(tree.readText(lockFileName, maxLockBytes))
  } catch (cause) {
    throw new Error(`${lockFileName} cannot be read.`, { cause })
  }
  if (!Value.Check(LockFile, read)) throw new Error(`${lockFileName} does not have the format that \`capstan build\` writes.`)
  return { ...read.images }
}

/** Returns the name of a container's image, without registry and tag. */
export function imageNameOf({ challenge }: LoadedChallenge, container: string): string {
  return challenge.containers === undefined ? challenge.name : `${challenge.name}/${container}`
}

export function sourcesDigestOf({ tree }: GameFolder, { challenge, folder, file }: LoadedChallenge, container: string): string {
  const { description } = challenge
  const build = containersOf(challenge).find(({ name }) => name === container)?.build
  const context = resolvePathInFolder(folder, build?.context ?? '.')
  const ignored = new Set([file, ...(typeof description === 'object' ? [resolvePathInFolder(folder, description.file)] : [])])
  const hash = createHash('sha256').update(JSON.stringify(build))
  for (const path of tree.paths) {
    if ((context !== '' && !path.startsWith(`${context}/`)) || ignored.has(path)) continue
    if (path === lockFileName || path.endsWith(`/${capstanFileName}`)) continue
    const place = tree.locate(path, maxSourceBytes)
    hash.update(`\n${path.slice(context.length)}\n${statSync(place).size}\n`)
    readFileInParts(place, (part) => hash.update(part))
  }
  return hash.digest('hex')
}

/** Reads and writes the list of images that were built for the challenges in a folder. */
export function createImageLock(folder: GameFolder) {
  const images = readLock(folder)
  const find = (loaded: LoadedChallenge, container: string): Image | undefined => {
    const name = imageNameOf(loaded, container)
    const image = Object.hasOwn(images, name) ? images[name] : undefined
    return image?.sources === sourcesDigestOf(folder, loaded, container) ? image : undefined
  }
  return {
    /** Returns the image of a container, or undefined if no image was built from the container's current sources. */
    imageOf: (loaded: LoadedChallenge, container: string): string | undefined => find(loaded, container)?.image,
    /** Records a built image immediately, so that it is not lost if a later build fails. */
    note(loaded: LoadedChallenge, container: string, image: string): void {
      images[imageNameOf(loaded, container)] = { image, sources: sourcesDigestOf(folder, loaded, container) }
      const sorted = Object.fromEntries(Object.entries(images).sort(([left], [right]) => (left < right ? -1 : 1)))
      writeFileInFolder(folder.tree.root, lockFileName, `${JSON.stringify({ images: sorted }, undefined, 2)}\n`)
    },
  }
}
