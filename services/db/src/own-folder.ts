import { statSync } from 'node:fs'
import process from 'node:process'

/**
 * Why a folder must not be trusted: whoever else owns it or may write it decides what is read from it, and what is run.
 * @param owners ids of users to whom it may belong; this process' own unless given
 * @returns a sentence, or undefined where all is well or the system knows no owners
 */
export const refuseSharedFolder = (folder: string, owners?: readonly number[]): string | undefined => {
  const own = process.getuid?.()
  if (own === undefined) return undefined
  const { uid, mode } = statSync(folder)
  if (!(owners ?? [own]).includes(uid)) return `${folder} belongs to another user: choose another folder with --data`
  if ((mode & 0o022) !== 0)
    return `${folder} can be written by other users: take that from them (chmod go-w), or choose another folder with --data`
  return undefined
}
