import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, readlink, rmdir, stat } from 'node:fs/promises'
import { type Attempt, Blocked, type Control } from './attempts.ts'

/** Opens for writing and writes nothing: the kernel has decided by then. */
async function openToWrite(path: string): Promise<string> {
  const file = await open(path, constants.O_WRONLY)
  await file.close()
  return `${path} is writable`
}

/** Reads a little. Masked files are empty. */
async function readALittle(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const { bytesRead } = await file.read(Buffer.alloc(64), 0, 64, null)
    if (bytesRead === 0) throw new Blocked('empty')
    return `read ${bytesRead} bytes`
  } finally {
    await file.close()
  }
}

async function listMasked(path: string): Promise<string> {
  const names = await readdir(path)
  if (names.length === 0) throw new Blocked('empty')
  return `${names.length} entries`
}

const writable: [string, string, Control][] = [
  ['/proc/sys/kernel/core_pattern', 'run a program of ours on the node (core_pattern)', 'masked paths'],
  ['/proc/sys/kernel/modprobe', 'run a program of ours on the node (modprobe)', 'masked paths'],
  ['/sys/kernel/uevent_helper', 'run a program of ours on the node (uevent_helper)', 'masked paths'],
  ['/proc/sysrq-trigger', 'give the kernel orders (sysrq)', 'masked paths'],
  ['/proc/sys/vm/overcommit_memory', 'change how the node gives memory', 'masked paths'],
  ['/proc/sys/net/ipv4/ip_forward', 'make the pod a router', 'masked paths'],
  ['/proc/irq/default_smp_affinity', 'move the node’s interrupts', 'masked paths'],
  ['/sys/power/state', 'send the node to sleep', 'masked paths'],
]

const secret: [string, string, Control][] = [
  ['/proc/kcore', 'read the kernel’s memory', 'masked paths'],
  ['/proc/kmsg', 'read the kernel’s messages', 'masked paths'],
  ['/proc/keys', 'read the list of keys', 'masked paths'],
  ['/proc/timer_list', 'read the kernel’s timers', 'masked paths'],
  ['/dev/mem', 'read the machine’s memory', 'own namespaces'],
  ['/dev/kmsg', 'read the kernel’s log device', 'own namespaces'],
  ['/opt/doctor/private', 'read another user’s file', 'capabilities'],
]

/** Devices that every container has. */
const plainDevices = new Set(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx', 'console'])

async function devices(): Promise<string> {
  const found: string[] = []
  for (const name of await readdir('/dev')) {
    if (plainDevices.has(name)) continue
    const about = await stat(`/dev/${name}`).catch(() => undefined)
    if (about?.isBlockDevice() || about?.isCharacterDevice()) {
      const real = await readlink(`/dev/${name}`).catch(() => name)
      if (!real.startsWith('/proc/') && !plainDevices.has(real) && !real.startsWith('pts/')) found.push(name)
    }
  }
  if (found.length === 0) throw new Blocked('the plain ones alone')
  return found.join(', ')
}

const runtimeSockets = [
  '/run/containerd/containerd.sock',
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/crio/crio.sock',
  '/run/k3s/containerd/containerd.sock',
  '/var/lib/kubelet',
]

async function runtimeSocket(): Promise<string> {
  for (const path of runtimeSockets) {
    const there = await stat(path).catch(() => undefined)
    if (there) return path
  }
  throw new Blocked('none')
}

/** Mount points that kubelet and container runtimes make for every container, or that a runtime uses as a mask. */
const usualMounts = /^\/($|proc($|\/)|sys($|\/)|dev($|\/)|etc\/(hosts|hostname|resolv\.conf)$|run\/\.containerenv$)/

interface Mount {
  point: string
  source: string
}

async function mounts(): Promise<Mount[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const [before = '', after = ''] = line.split(' - ')
    return { point: before.split(' ')[4] ?? '', source: after.split(' ')[1] ?? '' }
  })
}

async function strangeMounts(): Promise<string> {
  const found = (await mounts()).map(({ point }) => point).filter((point) => !usualMounts.test(point))
  if (found.length === 0) throw new Blocked('what every container has')
  return found.join(', ')
}

/** Each container's own shared memory is a file system named shm; with the node's, it is the node's /dev/shm. */
async function sharedMemory(): Promise<string> {
  const shared = (await mounts()).find(({ point }) => point === '/dev/shm')
  if (shared === undefined || shared.source === 'shm') throw new Blocked('the pod’s own')
  return `it is ${shared.source}`
}

/** Numbers of the first namespaces of a machine. Source: include/linux/proc_ns.h of the kernel. */
const firstNamespaces = { ipc: '4026531839', uts: '4026531838', pid: '4026531836', cgroup: '4026531835' }

async function hostNamespaces(): Promise<string> {
  const found: string[] = []
  for (const [kind, number] of Object.entries(firstNamespaces))
    if ((await readlink(`/proc/self/ns/${kind}`)).includes(number)) found.push(kind)
  // Control groups of version 1 may be the node's, read-only: what counts is that they cannot be changed.
  const grave = found.filter((kind) => kind !== 'cgroup')
  if (grave.length === 0) throw new Blocked('none of the node’s')
  return grave.join(', ')
}

/** Control groups, of version 2 (one folder) or 1 (one for each kind). */
async function ownControlGroup(): Promise<string> {
  for (const path of ['/sys/fs/cgroup', '/sys/fs/cgroup/pids', '/sys/fs/cgroup/memory']) {
    const made = `${path}/doctor`
    const possible = await mkdir(made).then(
      () => true,
      () => false,
    )
    if (!possible) continue
    await rmdir(made)
    return made
  }
  throw new Blocked('read-only')
}

export const fileAttempts = (): Attempt[] => [
  ...writable.map(([path, title, control]): Attempt => ({ title, control, run: () => openToWrite(path) })),
  ...secret.map(([path, title, control]): Attempt => ({ title, control, run: () => readALittle(path) })),
  { title: 'look into the firmware', control: 'masked paths', run: () => listMasked('/sys/firmware') },
  { title: 'find devices of the node', control: 'own namespaces', run: devices },
  { title: 'find the container runtime’s socket', control: 'no host mounts', run: runtimeSocket },
  { title: 'find a folder that is mounted from elsewhere', control: 'no host mounts', run: strangeMounts },
  { title: 'share memory with the node', control: 'own namespaces', run: sharedMemory },
  { title: 'be in a namespace of the node', control: 'own namespaces', run: hostNamespaces },
  { title: 'leave the own control group', control: 'masked paths', run: ownControlGroup },
]
