import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { type Attempt, Blocked, type Control } from './attempts.ts'

/** Runs a program that answers with its exit code: 0 it worked, 1 refused. A signal of the kernel is a refusal too. */
export const attemptBy = (program: string, ...args: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(said.trim())
      else if (code === 1) reject(new Blocked(said.trim()))
      else if (signal === 'SIGSYS' || signal === 'SIGKILL') reject(new Blocked(`ended by ${signal}`))
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}`))
    })
  })

/** Name in attempt.c, what it tries, and what holds it back first. */
const calls: [string, string, Control][] = [
  ['user-namespace', 'make a user namespace (unshare)', 'seccomp profile'],
  ['clone-user', 'make a user namespace (clone)', 'seccomp profile'],
  ['mount-namespace', 'make a mount namespace', 'capabilities'],
  ['network-namespace', 'make a network namespace', 'capabilities'],
  ['process-namespace', 'make a process namespace', 'capabilities'],
  ['enter-namespace', 'enter another namespace', 'capabilities'],
  ['mount-memory', 'mount a file system', 'capabilities'],
  ['mount-proc', 'mount /proc again, unmasked', 'capabilities'],
  ['mount-cgroup', 'mount the control groups', 'capabilities'],
  ['remount-proc', 'make /proc/sys writable', 'capabilities'],
  ['unmount-mask', 'take the mask off /proc/kcore', 'capabilities'],
  ['new-mount-api', 'mount through fsopen', 'capabilities'],
  ['change-root', 'change the root', 'capabilities'],
  ['pivot-root', 'pivot the root', 'capabilities'],
  ['block-device', 'make a block device', 'capabilities'],
  ['memory-device', 'make /dev/mem', 'capabilities'],
  ['file-handle', 'open files of the node by handle', 'capabilities'],
  ['kexec', 'load another kernel', 'capabilities'],
  ['load-module', 'load a kernel module', 'capabilities'],
  ['load-module-file', 'load a kernel module from a file', 'capabilities'],
  ['remove-module', 'remove a kernel module', 'capabilities'],
  ['kernel-program', 'load into the kernel with bpf', 'seccomp profile'],
  ['performance-events', 'watch the processor with perf', 'seccomp profile'],
  ['user-fault', 'handle page faults (userfaultfd)', 'seccomp profile'],
  ['keyring', 'write to the kernel’s keyring', 'seccomp profile'],
  ['read-keyring', 'read the kernel’s keyring', 'seccomp profile'],
  ['restart-machine', 'restart the machine', 'capabilities'],
  ['host-name', 'change the host’s name', 'capabilities'],
  ['system-clock', 'change the clock', 'capabilities'],
  ['swap', 'switch swap off', 'capabilities'],
  ['kernel-log', 'read the kernel’s log', 'capabilities'],
  ['hardware-ports', 'talk to hardware ports', 'capabilities'],
  ['accounting', 'switch process accounting on', 'capabilities'],
  ['file-watch', 'watch all files (fanotify)', 'capabilities'],
  ['hang-up', 'hang up the terminal', 'capabilities'],
  ['priority', 'take a higher priority', 'capabilities'],
  ['real-time', 'take a real-time priority', 'capabilities'],
  ['more-files', 'raise a hard limit', 'capabilities'],
  ['raw-socket', 'open a raw socket', 'capabilities'],
  ['raw-socket-six', 'open a raw IPv6 socket', 'capabilities'],
  ['packet-socket', 'read frames from the wire', 'capabilities'],
  ['foreign-source', 'send from foreign addresses', 'capabilities'],
  ['interface-flags', 'change a network interface', 'capabilities'],
  ['route', 'change the routes', 'capabilities'],
  ['another-user', 'become another user', 'capabilities'],
  ['another-group', 'become another group', 'capabilities'],
  ['more-groups', 'join more groups', 'capabilities'],
  ['give-away', 'give a file to another user', 'capabilities'],
  ['file-capability', 'give a program a capability', 'capabilities'],
  ['capability-set', 'take a capability', 'capabilities'],
  ['ambient-capability', 'take an ambient capability', 'capabilities'],
  ['bounding-set', 'find a capability left in the bounding set', 'capabilities'],
  ['new-privileges', 'be allowed new privileges', 'no privilege escalation'],
  ['unfiltered', 'call the kernel without a filter', 'seccomp profile'],
]

/** Processes that this program did not start. It is the first of its container, so there are none but its own children. */
async function strangers(): Promise<string[]> {
  if (process.pid === 1) throw new Blocked('alone with its own processes')
  const visible = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) < process.pid)
  if (visible.length === 0) throw new Blocked('alone with its own processes')
  return visible
}

export const kernelAttempts = (): Attempt[] => [
  ...calls.map(([name, title, control]): Attempt => ({ title, control, run: () => attemptBy('attempt', name) })),
  { title: 'run a program that is root by its file mode', control: 'no privilege escalation', run: raise },
  {
    title: 'see processes of the node or of other containers',
    control: 'own namespaces',
    run: async () => `${(await strangers()).length} processes`,
  },
  {
    title: 'signal processes of the node or of other containers',
    control: 'own namespaces',
    run: async () => attemptBy('attempt', 'signal-process', (await strangers())[0] ?? ''),
  },
  {
    title: 'trace processes of the node or of other containers',
    control: 'own namespaces',
    run: async () => attemptBy('attempt', 'trace-process', (await strangers())[0] ?? ''),
  },
]

async function raise(): Promise<string> {
  if (process.getuid?.() === 0) throw new Blocked('is root by the image already, without capabilities')
  return attemptBy('raise')
}
