import type { JailedCommand, ReadSibling } from './command.ts'
import { splitShellWords } from './dockerfile.ts'

/** Images of kCTF that run a server directly, and do not use the jail that their base image prepares. */

/** True for a step that only prepares the jail, or mounts a file system that the container already has. */
function isPreparation(step: string): boolean {
  return /^(?:(?:\/usr\/bin\/)?kctf_setup|u?mount|ulimit)\b/.test(step)
}

/** True if a text starts a jail, or needs privileges to set up a jail. */
function needsJail(text: string): boolean {
  return /\bnsjail\b|(?:^|[\s;&(])(?:mount|umount|unshare|chroot)\s/.test(text)
}

const wrapper = /(?:\/usr\/bin\/)?kctf_(?:drop_privs|pow)[ \t]+/g
const listening = /TCP[46]?-L(?:ISTEN)?:(\d{1,5})/i

/** Returns the readable scripts that a command refers to. */
function scriptsOf(text: string, read: ReadSibling): string[] {
  return splitShellWords(text).flatMap((word) => (/^[\w./-]{1,512}$/.test(word) && word.includes('/') ? (read(word) ?? []) : []))
}

/**
 * Returns the command that a container starts without a jail. Steps that prepare a jail are left out.
 * @returns undefined if the command starts a jail
 */
export function findServerCommand(command: string, read: ReadSibling): JailedCommand | undefined {
  const steps = command
    .split('&&')
    .map((step) => step.trim())
    .filter((step) => step !== '' && !isPreparation(step))
  const text = steps.join(' && ').replace(wrapper, '').trim()
  if (text === '' || needsJail(text) || scriptsOf(text, read).some((script) => needsJail(script) || /\bkctf_/.test(script)))
    return undefined
  const port = Number(listening.exec(text)?.[1])
  return { words: ['/bin/sh', '-c', text], isServer: true, ...(Number.isInteger(port) && port > 0 ? { port } : {}) }
}
