import { lstat, open, readdir } from 'node:fs/promises'
import path from 'node:path'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import { taskVariable } from './task.ts'

/**
 * Regular expression for a signed token (RFC 7519), for example the token of a service account. The expression matches
 * only at the start of a word, so the search takes linear time.
 */
const token = /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Folders in which containers usually keep credentials. */
const searchedFolders = ['/run', '/var/run', '/etc', '/root', '/home', '/tmp', '/srv', '/mnt', '/opt', '/var/lib/kubelet']

/** Maximum size of a searched file, in bytes. Files with credentials are small. */
const maxBytes = 64 * 1024

/** Maximum number of files that the search reads. */
const maxFiles = 5000

async function* files(folder: string): AsyncGenerator<string> {
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const file = path.join(folder, name)
    const status = await lstat(file).catch(() => undefined)
    if (status?.isDirectory()) yield* files(file)
    else if (status?.isFile() && status.size > 0 && status.size <= maxBytes) yield file
  }
}

async function searchFiles(): Promise<string> {
  let count = 0
  for (const folder of searchedFolders) {
    for await (const file of files(folder)) {
      if (count++ > maxFiles) throw new Error(`more than ${maxFiles} files`)
      const handle = await open(file).catch(() => undefined)
      if (handle === undefined) continue
      const text = await handle.readFile('utf8').finally(() => handle.close())
      if (token.test(text) || /client-key-data:|BEGIN (RSA |EC )?PRIVATE KEY/.test(text)) return file
    }
  }
  throw new Blocked(`none in ${count} files`)
}

async function listTokenFolder(): Promise<string> {
  const names = await readdir(tokenFolder)
  return `${tokenFolder}: ${names.join(', ')}`
}

/** Returns all environment variables, except the variable that contains the probe's task. */
function environment() {
  return Object.entries(process.env).filter(([name]) => name !== taskVariable)
}

/**
 * Finds environment variables for which `matches` returns true.
 * @returns names of the matching environment variables
 * @throws Blocked if no environment variable matches
 */
function findVariables(matches: (name: string, value: string) => boolean): string {
  const found = environment().filter(([name, value]) => matches(name, value ?? ''))
  if (found.length === 0) throw new Blocked('none')
  return found.map(([name]) => name).join(', ')
}

/** Returns the probe's attempts to find credentials and settings, and the attempt to become root. */
export function listCredentialAttempts(profile: 'Restricted' | 'Baseline'): Attempt[] {
  return [
    { title: 'read the service account’s token', control: 'no token', run: listTokenFolder },
    { title: 'find a token or key in the files', control: 'no token', run: searchFiles },
    {
      title: 'find a token in the environment',
      control: 'no token',
      run: async () => findVariables((_name, value) => token.test(value)),
    },
    {
      // Kubernetes always sets environment variables with the address of the API server, so KUBERNETES_SERVICE_HOST is not a
      // finding.
      title: 'find other services in the environment',
      control: 'no service links',
      run: async () => findVariables((name) => name.endsWith('_SERVICE_HOST') && name !== 'KUBERNETES_SERVICE_HOST'),
    },
    {
      title: 'find the platform’s settings in the environment',
      control: 'no service links',
      run: async () => findVariables((name) => name.startsWith('CAPSTAN_') || name === 'DATABASE_URL' || name === 'REDIS_URL'),
    },
    {
      title: 'be root',
      control: 'user of the image',
      async run() {
        if (profile === 'Baseline') throw new Skipped('the profile Baseline allows it')
        if (process.getuid?.() !== 0) throw new Blocked(`user ${process.getuid?.()}`)
        return 'user 0'
      },
    },
  ]
}
