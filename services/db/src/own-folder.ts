import { statSync } from 'node:fs'
import process from 'node:process'

/**
 * Refuses a folder that another user owns or can write to, because that user could replace files that we read or run.
 * @param owners user ids of allowed owners. By default, only the user of this process is allowed
 * @returns a sentence with the reason for the refusal, or undefined if the folder is safe or the system has no file owners
 */
export function findReasonFolderIsUnsafe(folder: string, owners?: readonly number[]): string | undefined {
  const own = process.getuid?.()
  if (own === undefined) return undefined
  const { uid, mode } = statSync(folder)
  if (!(owners ?? [own]).includes(uid)) return `${folder} belongs to another user: choose another folder with --data`
  if ((mode & 0o022) !== 0)
    return `${folder} can be written by other users: remove this permission (chmod go-w), or choose another folder with --data`
  return undefined
}
