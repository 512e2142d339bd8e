import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { type Attempt, Blocked, type Control } from './attempts.ts'

/**
 * Runs a program that makes an attempt. Exit code 0 means that the attempt succeeded. Exit code 1, or a kill by the kernel, means
 * that the attempt was blocked.
 */
export function runAttemptProgram(program: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output.trim())
      else if (code === 1) reject(new Blocked(output.trim()))
      else if (signal === 'SIGSYS' || signal === 'SIGKILL') reject(new Blocked(`ended by ${signal}`))
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}`))
    })
  })
}

/** System calls to attempt, each with its name in attempt.c, a title, and the first protection that blocks it. */
const systemCalls: [string, string, Control][] = [
  ['user-namespace', 'create a user namespace (unshare)', 'seccomp profile'],
  ['clone-user', 'create a user namespace (clone)', 'seccomp profile'],
  ['mount-namespace', 'create a mount namespace', 'capabilities'],
  ['network-namespace', 'create a network namespace', 'capabilities'],
  ['process-namespace', 'create a process namespace', 'capabilities'],
  ['enter-namespace', 'enter another namespace', 'capabilities'],
  ['mount-memory', 'mount a file system', 'capabilities'],
  ['mount-proc', 'mount /proc again, unmasked', 'capabilities'],
  ['mount-cgroup', 'mount the control groups', 'capabilities'],
  ['remount-proc', 'make /proc/sys writable', 'capabilities'],
  ['unmount-mask', 'unmask /proc/kcore', 'capabilities'],
  ['new-mount-api', 'mount through fsopen', 'capabilities'],
  ['change-root', 'change the root', 'capabilities'],
  ['pivot-root', 'pivot the root', 'capabilities'],
  ['block-device', 'create a block device', 'capabilities'],
  ['memory-device', 'make /dev/mem', 'capabilities'],
  ['file-handle', 'open the node’s files by handle', 'capabilities'],
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
  ['priority', 'get a higher priority', 'capabilities'],
  ['real-time', 'get a real-time priority', 'capabilities'],
  ['more-files', 'raise a hard limit', 'capabilities'],
  ['raw-socket', 'open a raw socket', 'capabilities'],
  ['raw-socket-six', 'open a raw IPv6 socket', 'capabilities'],
  ['packet-socket', 'read network frames', 'capabilities'],
  ['foreign-source', 'send from another address', 'capabilities'],
  ['interface-flags', 'change a network interface', 'capabilities'],
  ['route', 'change the routes', 'capabilities'],
  ['another-user', 'become another user', 'capabilities'],
  ['another-group', 'become another group', 'capabilities'],
  ['more-groups', 'join more groups', 'capabilities'],
  ['give-away', 'give a file to another user', 'capabilities'],
  ['file-capability', 'give a program a capability', 'capabilities'],
  ['capability-set', 'gain a capability', 'capabilities'],
  ['ambient-capability', 'gain an ambient capability', 'capabilities'],
  ['bounding-set', 'find a capability in the bounding set', 'capabilities'],
  ['new-privileges', 'gain new privileges', 'no privilege escalation'],
  ['unfiltered', 'call the kernel without a filter', 'seccomp profile'],
]

/**
 * Finds processes outside of this container. This program is the first process of its container, so a process with a lower number
 * belongs to another container or to the node.
 */
async function findForeignProcesses(): Promise<string[]> {
  if (process.pid === 1) throw new Blocked('only its own processes are visible')
  const visible = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) < process.pid)
  if (visible.length === 0) throw new Blocked('only its own processes are visible')
  return visible
}

export function listKernelAttacks(): Attempt[] {
  return [
    ...systemCalls.map(([name, title, control]): Attempt => ({ title, control, run: () => runAttemptProgram('attempt', name) })),
    { title: 'run a setuid root program', control: 'no privilege escalation', run: runSetuidProgram },
    {
      title: 'see processes of the node or of other containers',
      control: 'own namespaces',
      run: async () => `${(await findForeignProcesses()).length} processes`,
    },
    {
      title: 'signal processes of the node or of other containers',
      control: 'own namespaces',
      run: async () => runAttemptProgram('attempt', 'signal-process', (await findForeignProcesses())[0] ?? ''),
    },
    {
      title: 'trace processes of the node or of other containers',
      control: 'own namespaces',
      run: async () => runAttemptProgram('attempt', 'trace-process', (await findForeignProcesses())[0] ?? ''),
    },
  ]
}

async function runSetuidProgram(): Promise<string> {
  if (process.getuid?.() === 0) throw new Blocked('is already root by the image, without capabilities')
  return runAttemptProgram('setuid-root')
}
