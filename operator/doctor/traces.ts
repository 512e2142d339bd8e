import { lstat, open, readdir } from 'node:fs/promises'
import path from 'node:path'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import { ordersVariable } from './orders.ts'

/** Shape of a signed token (RFC 7519), as service accounts have it; looked for from the start of a word only, in linear time. */
const token = /(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Where tokens and credentials are kept in containers. */
const searched = ['/run', '/var/run', '/etc', '/root', '/home', '/tmp', '/srv', '/mnt', '/opt', '/var/lib/kubelet']

/** Files larger than this are no credentials. */
const largestBytes = 64 * 1024

/** Most files that the search looks into. */
const mostFiles = 5000

async function* files(folder: string): AsyncGenerator<string> {
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const file = path.join(folder, name)
    const about = await lstat(file).catch(() => undefined)
    if (about?.isDirectory()) yield* files(file)
    else if (about?.isFile() && about.size > 0 && about.size <= largestBytes) yield file
  }
}

async function searchFiles(): Promise<string> {
  let looked = 0
  for (const folder of searched) {
    for await (const file of files(folder)) {
      if (looked++ > mostFiles) throw new Error(`more than ${mostFiles} files`)
      const handle = await open(file).catch(() => undefined)
      if (handle === undefined) continue
      const text = await handle.readFile('utf8').finally(() => handle.close())
      if (token.test(text) || /client-key-data:|BEGIN (RSA |EC )?PRIVATE KEY/.test(text)) return file
    }
  }
  throw new Blocked(`none in ${looked} files`)
}

async function mountedToken(): Promise<string> {
  const names = await readdir(tokenFolder)
  return `${tokenFolder}: ${names.join(', ')}`
}

const environment = () => Object.entries(process.env).filter(([name]) => name !== ordersVariable)

function variables(matches: (name: string, value: string) => boolean): string {
  const found = environment().filter(([name, value]) => matches(name, value ?? ''))
  if (found.length === 0) throw new Blocked('none')
  return found.map(([name]) => name).join(', ')
}

export const traceAttempts = (profile: 'Restricted' | 'Baseline'): Attempt[] => [
  { title: 'read the service account’s token', control: 'no token', run: mountedToken },
  { title: 'find a token or key in the files', control: 'no token', run: searchFiles },
  {
    title: 'find a token in the environment',
    control: 'no token',
    run: async () => variables((_name, value) => token.test(value)),
  },
  {
    // Kubernetes itself tells each container of the API server's address, and of nothing else.
    title: 'learn of other services from the environment',
    control: 'no service links',
    run: async () => variables((name) => name.endsWith('_SERVICE_HOST') && name !== 'KUBERNETES_SERVICE_HOST'),
  },
  {
    title: 'find the platform’s settings in the environment',
    control: 'no service links',
    run: async () => variables((name) => name.startsWith('CAPSTAN_') || name === 'DATABASE_URL' || name === 'REDIS_URL'),
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
