import type { JailedCommand, ReadBeside } from './command.ts'
import { shellWords } from './dockerfile.ts'

/** Images of kCTF that run a server as it is: the base prepares a jail that nothing uses. */

/** Steps before a server that prepare the jail, or mount what a container has anyway. */
function isPreparation(step: string): boolean {
  return /^(?:(?:\/usr\/bin\/)?kctf_setup|u?mount|ulimit)\b/.test(step)
}

/** Whether a text starts a jail, or needs the rights that a jail is set up with. */
function needsJail(text: string): boolean {
  return /\bnsjail\b|(?:^|[\s;&(])(?:mount|umount|unshare|chroot)\s/.test(text)
}

const wrapper = /(?:\/usr\/bin\/)?kctf_(?:drop_privs|pow)[ \t]+/g
const listening = /TCP[46]?-L(?:ISTEN)?:(\d{1,5})/i

/** Scripts that a command names, as far as they lie beside it. */
function scriptsOf(text: string, read: ReadBeside): string[] {
  return shellWords(text).flatMap((word) => (/^[\w./-]{1,512}$/.test(word) && word.includes('/') ? (read(word) ?? []) : []))
}

/**
 * What a container starts without a jail: its command as a shell reads it, without the steps that prepare one.
 *
 * @returns undefined where a jail is started after all
 */
export function plainServer(command: string, read: ReadBeside): JailedCommand | undefined {
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
