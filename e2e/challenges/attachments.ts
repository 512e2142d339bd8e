import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ChallengeManifest, challengeFolder, type DynamicAttachmentManifest } from './manifest.ts'

/**
 * Function that each `make-attachment.ts` exports. It creates a file that contains `flag`. If two flags are equal, the
 * two files are also equal.
 */
type MakeAttachment = (flag: string) => Uint8Array

/** Creates the file of a challenge for one flag. Throws if the challenge has no file. */
export async function makeAttachment({ slug }: Pick<ChallengeManifest, 'slug'>, flag: string): Promise<Uint8Array> {
  const source = pathToFileURL(path.join(challengeFolder(slug), 'make-attachment.ts')).href
  const module = (await import(source)) as { makeAttachment: MakeAttachment }
  return module.makeAttachment(flag)
}

export function generateFileFlags(manifest: DynamicAttachmentManifest): string[] {
  const flags = new Set<string>()
  while (flags.size < manifest.fileCount) flags.add(manifest.fileFlag.replace('[HEX]', randomBytes(6).toString('hex')))
  return [...flags]
}
