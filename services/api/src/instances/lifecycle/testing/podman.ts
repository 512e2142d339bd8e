import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createFastFolder } from '@capstan/db/testing/fast-folder'
import type { EngineCommand } from '../container/engine.ts'

/** Shell script that acts as a challenge. It gives the answers of `echo.mjs` that the tests of all runtimes need. */
const echoScript = `#!/bin/sh
while read -r line; do
  case $line in
    flag) echo "\${FLAG:-no flag}" ;;
    team) echo "\${TEAM_ID:-no team}" ;;
    say\\ *) echo "\${line#say }" >/proc/1/fd/1; echo "$line" ;;
    *) echo "$line" ;;
  esac
done
`

/** Prints \`open\` if a challenge answers at a host and port. */
const probeScript = `#!/bin/sh
answer=$( (echo hello; sleep 1) | nc -w 3 "$1" "$2" 2>/dev/null)
[ "$answer" = hello ] && echo open || echo closed
`

const applets = ['sh', 'nc', 'sleep', 'ip', 'hostname', 'printenv', 'true']

export const echoImage = 'localhost/echo:1'
export const crashImage = 'localhost/crash:1'
export const missingImage = 'localhost/missing:1'

function findProgram(name: string): string | undefined {
  const { stdout, status } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

const missing = ['podman', 'busybox'].filter((name) => findProgram(name) === undefined)

const needs = [
  ...missing,
  ...((findProgram('crun') ?? findProgram('runc')) ? [] : ['crun or runc']),
  ...(process.getuid?.() === 0 ? [] : ['root']),
]

/**
 * Reason why tests that need podman are skipped. The titles of these tests contain the reason. Undefined if `CI=true`, so that
 * the run fails if a program is missing.
 */
export const podmanMissing: string | undefined =
  needs.length > 0 && process.env.CI !== 'true' ? `needs ${needs.join(' and ')}` : undefined

/**
 * Address at which containers publish their ports. It is not 127.0.0.1: podman forwards a port for some milliseconds after it has
 * released it, and another test may listen on the same port of 127.0.0.1 in that time.
 */
export const podmanPublishHost = '127.0.0.2'

export type TestPodman = Readonly<{ engine: EngineCommand; run(...args: string[]): string; close(): Promise<void> }>

/** Writes podman settings that work without systemd and set low limits for open files and processes. */
async function writeSettings(file: string, runtime: string): Promise<void> {
  const lines = [
    '[containers]',
    'default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]',
    '[engine]',
    `runtime = "${runtime}"`,
    'cgroup_manager = "cgroupfs"',
    'events_logger = "file"',
    '[network]',
    'network_backend = "netavark"',
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
}

async function writeImage(folder: string): Promise<string> {
  const root = path.join(folder, 'rootfs')
  for (const name of ['bin', 'etc', 'proc', 'sys', 'dev', 'tmp']) await mkdir(path.join(root, name), { recursive: true })
  await cp(findProgram('busybox') ?? '', path.join(root, 'bin/busybox'), { dereference: true })
  for (const applet of applets) await symlink('busybox', path.join(root, 'bin', applet))
  for (const [name, text] of [['echo', echoScript] as const, ['probe', probeScript] as const]) {
    await writeFile(path.join(root, 'bin', name), text)
    await chmod(path.join(root, 'bin', name), 0o755)
  }
  const archive = path.join(folder, 'image.tar')
  execFileSync('tar', ['-C', root, '-cf', archive, '.'])
  return archive
}

/** Starts a podman with its own images, containers and networks. @throws if no container can run on this machine */
export async function startPodman(): Promise<TestPodman> {
  const folder = await createFastFolder('capstan-podman-')
  const settings = path.join(folder, 'containers.conf')
  const prefix = [
    `CONTAINERS_CONF=${settings}`,
    ...['podman', '--root', path.join(folder, 'root'), '--runroot', path.join(folder, 'run')],
    ...['--storage-driver', 'vfs', '--network-config-dir', path.join(folder, 'networks')],
  ]
  const run = (...args: string[]) =>
    execFileSync('env', [...prefix, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const archive = await writeImage(folder)
  const importImage = (name: string, command: string) => run('import', '--change', `CMD ${command}`, archive, name)
  // crun fails on some machines where runc works, for example if both versions of cgroups are in use.
  const runtimes = ['crun', 'runc'].filter((name) => findProgram(name) !== undefined)
  for (const [index, runtime] of runtimes.entries()) {
    await writeSettings(settings, runtime)
    importImage(echoImage, '["/bin/nc","-ll","-p","1337","-e","/bin/echo"]')
    try {
      run('run', '--rm', '--network', 'none', echoImage, '/bin/true')
      break
    } catch (cause) {
      if (index === runtimes.length - 1) throw cause
    }
  }
  importImage(crashImage, '["/bin/sh","-c","exit 3"]')
  return {
    engine: { program: 'env', prefix },
    run,
    async close() {
      run('rm', '--all', '--force')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
