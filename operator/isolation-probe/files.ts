import { constants } from 'node:fs'
import { mkdir, open, readdir, readFile, readlink, rmdir, stat } from 'node:fs/promises'
import { type Attempt, Blocked, type Control } from './attempts.ts'

/** Opens a file for writing but writes nothing. The kernel checks the permission when the file is opened. */
async function openToWrite(path: string): Promise<string> {
  const file = await open(path, constants.O_WRONLY)
  await file.close()
  return `${path} is writable`
}

/** Reads the start of a file. Files that the container runtime masks are empty. */
async function readFirstBytes(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const { bytesRead } = await file.read(Buffer.alloc(64), 0, 64, null)
    if (bytesRead === 0) throw new Blocked('empty')
    return `read ${bytesRead} bytes`
  } finally {
    await file.close()
  }
}

async function listFolder(path: string): Promise<string> {
  const names = await readdir(path)
  if (names.length === 0) throw new Blocked('empty')
  return `${names.length} entries`
}

/**
 * Paths to which a challenge must not be able to write. Each entry has a title for the attempt to write, and the protection that
 * blocks the attempt.
 */
const filesToWrite: [string, string, Control][] = [
  ['/proc/sys/kernel/core_pattern', 'run our program on the node (core_pattern)', 'masked paths'],
  ['/proc/sys/kernel/modprobe', 'run our program on the node (modprobe)', 'masked paths'],
  ['/sys/kernel/uevent_helper', 'run our program on the node (uevent_helper)', 'masked paths'],
  ['/proc/sysrq-trigger', 'send commands to the kernel (sysrq)', 'masked paths'],
  ['/proc/sys/vm/overcommit_memory', 'change how the node allocates memory', 'masked paths'],
  ['/proc/sys/net/ipv4/ip_forward', 'make the pod a router', 'masked paths'],
  ['/proc/irq/default_smp_affinity', 'move the node’s interrupts', 'masked paths'],
  ['/sys/power/state', 'suspend the node', 'masked paths'],
]

/**
 * Paths that a challenge must not be able to read. Each entry has a title for the attempt to read, and the protection that blocks
 * the attempt.
 */
const filesToRead: [string, string, Control][] = [
  ['/proc/kcore', 'read the kernel’s memory', 'masked paths'],
  ['/proc/kmsg', 'read the kernel’s messages', 'masked paths'],
  ['/proc/keys', 'read the list of keys', 'masked paths'],
  ['/proc/timer_list', 'read the kernel’s timers', 'masked paths'],
  ['/dev/mem', 'read the machine’s memory', 'own namespaces'],
  ['/dev/kmsg', 'read the kernel’s log device', 'own namespaces'],
  ['/opt/isolation-probe/private', 'read another user’s file', 'capabilities'],
]

const usualDevices = new Set(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx', 'console'])

async function findDevices(): Promise<string> {
  const found: string[] = []
  for (const name of await readdir('/dev')) {
    if (usualDevices.has(name)) continue
    const status = await stat(`/dev/${name}`).catch(() => undefined)
    if (status?.isBlockDevice() || status?.isCharacterDevice()) {
      const real = await readlink(`/dev/${name}`).catch(() => name)
      if (!real.startsWith('/proc/') && !usualDevices.has(real) && !real.startsWith('pts/')) found.push(name)
    }
  }
  if (found.length === 0) throw new Blocked('only the standard ones')
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

async function findRuntimeSocket(): Promise<string> {
  for (const path of runtimeSockets) {
    const status = await stat(path).catch(() => undefined)
    if (status) return path
  }
  throw new Blocked('none')
}

/** Mount points that the kubelet and container runtimes create in every container. Some of them mask files. */
const usualMounts = /^\/($|proc($|\/)|sys($|\/)|dev($|\/)|etc\/(hosts|hostname|resolv\.conf)$|run\/\.containerenv$)/

interface Mount {
  point: string
  source: string
}

async function readMounts(): Promise<Mount[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const [before = '', after = ''] = line.split(' - ')
    return { point: before.split(' ')[4] ?? '', source: after.split(' ')[1] ?? '' }
  })
}

async function findUnusualMounts(): Promise<string> {
  const found = (await readMounts()).map(({ point }) => point).filter((point) => !usualMounts.test(point))
  if (found.length === 0) throw new Blocked('usual for a container')
  return found.join(', ')
}

/**
 * Tests whether /dev/shm belongs to the node.
 * @throws Blocked if /dev/shm is a separate file system of this container, whose source is `shm`
 */
async function findSharedMemory(): Promise<string> {
  const shared = (await readMounts()).find(({ point }) => point === '/dev/shm')
  if (shared === undefined || shared.source === 'shm') throw new Blocked('belongs to the pod')
  return `it is ${shared.source}`
}

const nodeNamespaces = { ipc: '4026531839', uts: '4026531838', pid: '4026531836', cgroup: '4026531835' }

async function findNodeNamespaces(): Promise<string> {
  const found: string[] = []
  for (const [kind, number] of Object.entries(nodeNamespaces))
    if ((await readlink(`/proc/self/ns/${kind}`)).includes(number)) found.push(kind)
  // A container may see the node's control groups of version 1. The attempt `leave its control group` tests whether the container
  // can change these groups.
  const serious = found.filter((kind) => kind !== 'cgroup')
  if (serious.length === 0) throw new Blocked('none of the node’s')
  return serious.join(', ')
}

/**
 * Tries to create a control group. Version 2 of control groups has one folder for all resources. Version 1 has a folder for each
 * resource.
 */
async function makeControlGroup(): Promise<string> {
  for (const path of ['/sys/fs/cgroup', '/sys/fs/cgroup/pids', '/sys/fs/cgroup/memory']) {
    const made = `${path}/isolation-probe`
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

export function listFileAttempts(): Attempt[] {
  return [
    ...filesToWrite.map(([path, title, control]): Attempt => ({ title, control, run: () => openToWrite(path) })),
    ...filesToRead.map(([path, title, control]): Attempt => ({ title, control, run: () => readFirstBytes(path) })),
    { title: 'read the firmware', control: 'masked paths', run: () => listFolder('/sys/firmware') },
    { title: 'find devices of the node', control: 'own namespaces', run: findDevices },
    { title: 'find the container runtime’s socket', control: 'no host mounts', run: findRuntimeSocket },
    { title: 'find a folder that is mounted from outside', control: 'no host mounts', run: findUnusualMounts },
    { title: 'share memory with the node', control: 'own namespaces', run: findSharedMemory },
    { title: 'be in a namespace of the node', control: 'own namespaces', run: findNodeNamespaces },
    { title: 'leave its control group', control: 'masked paths', run: makeControlGroup },
  ]
}
