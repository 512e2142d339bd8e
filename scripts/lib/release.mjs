// What backup and restore share: the release they work on, and kubectl.
import { spawn } from 'node:child_process'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { PlainError } from '../bootstrap.mjs'

/** Files of a backup. */
export const files = { database: 'database.dump', blobs: 'blobs.tar', secrets: 'secrets.json', about: 'about.json' }

/**
 * What cannot be made again of the release's Secrets: without `keys` the games' signing keys are lost. Each by the variable of the api
 * that tells the Secret's name, which the chart's values may choose. Nothing else is taken: a Secret that somebody brought may hold more.
 */
const precious = [
  { name: 'keys', variable: 'CAPSTAN_SECRET_KEY', keys: ['secretKey', 'internalToken'] },
  { name: 'admin', variable: 'CAPSTAN_ADMIN_PASSWORD', keys: ['password'] },
]

/** Arguments that both scripts take. @returns the release, and kubectl bound to its namespace */
export function readRelease(usage) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      release: { type: 'string', default: 'capstan' },
      namespace: { type: 'string', default: 'capstan' },
      context: { type: 'string' },
    },
  })
  if (positionals.length !== 1) throw new PlainError(usage)
  const { release, namespace, context } = values
  const first = [...(context ? ['--context', context] : []), '--namespace', namespace]
  return { release, namespace, folder: positionals[0], kubectl: createKubectl(first) }
}

function createKubectl(first) {
  /** Runs kubectl with `from` as its input and `to` as its output, where they are given. @returns its output otherwise */
  return async function kubectl(args, { from, to } = {}) {
    const child = spawn('kubectl', [...first, ...args], { stdio: [from === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] })
    let output = ''
    let complaint = ''
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    if (!to)
      child.stdout.on('data', (chunk) => {
        output += chunk
      })
    const ended = new Promise((resolve, reject) => {
      child.once('error', (cause) => reject(new PlainError(`kubectl cannot be run: ${cause.message}`)))
      child.once('close', resolve)
    })
    const flows = [ended]
    if (to) flows.push(pipeline(child.stdout, to))
    // A command that fails early closes its input: its own words say more than that.
    if (typeof from === 'string') child.stdin.end(from)
    else if (from) flows.push(pipeline(from, child.stdin).catch(() => {}))
    const [code] = await Promise.all(flows)
    if (code !== 0) throw new PlainError(`kubectl ${args.slice(0, 3).join(' ')} failed:\n${complaint.trim()}`)
    return output
  }
}

/** A shell command in the release's PostgreSQL, with its own user and database in PGUSER and PGDATABASE. */
export const inDatabase = (release, command) => [
  ...['exec', '--stdin', `${release}-postgresql-0`, '--container', 'postgresql', '--', 'sh', '-c'],
  `export PGPASSWORD=$POSTGRES_PASSWORD PGHOST=127.0.0.1 PGUSER=$POSTGRES_USER; PATH=$PATH:$(echo /usr/lib/postgresql/*/bin); ${command}`,
]

/** A command in one of the release's api pods. */
export const inApi = (release, ...command) => [
  ...['exec', '--stdin', `deployment/${release}-api`, '--container', 'api', '--'],
  ...command,
]

async function environmentOf(release, kubectl) {
  const { spec } = JSON.parse(await kubectl(['get', 'deployment', `${release}-api`, '--output', 'json']))
  return spec.template.spec.containers.find(({ name }) => name === 'api').env
}

/** Where the api keeps files: `folder`, or `s3`, which has backups of its own. */
export async function blobsOf(release, kubectl) {
  const variables = await environmentOf(release, kubectl)
  return variables.find(({ name }) => name === 'CAPSTAN_BLOBS')?.value ?? 'folder'
}

/** Names of the release's Secrets, by the names that a backup has for them. @throws where the api does not tell one */
export async function secretNamesOf(release, kubectl) {
  const variables = await environmentOf(release, kubectl)
  const named = precious.map(({ name, variable }) => {
    const secret = variables.find((each) => each.name === variable)?.valueFrom?.secretKeyRef?.name
    if (!secret)
      throw new PlainError(`The deployment ${release}-api takes ${variable} from no Secret: is it a release of the chart?`)
    return [name, secret]
  })
  return Object.fromEntries(named)
}

/** The content of the release's Secrets, `[{ name, data }]`, without `admin` if that is gone. @throws where the keys are not there: a backup without them is none */
export async function readSecrets(release, kubectl) {
  const names = await secretNamesOf(release, kubectl)
  const found = []
  for (const { name, keys } of precious) {
    const text = await kubectl(['get', 'secret', names[name], '--ignore-not-found', '--output', 'json'])
    const isThere = text.trim() !== ''
    const data = (isThere && JSON.parse(text).data) || {}
    const kept = Object.fromEntries(keys.filter((key) => data[key] !== undefined).map((key) => [key, data[key]]))
    const missing = keys.filter((key) => kept[key] === undefined)
    if (missing.length === 0) found.push({ name, data: kept })
    // The first admin's password is asked for once; the accounts are in the database.
    else if (name !== 'admin')
      throw new PlainError(
        `${isThere ? `The Secret ${names[name]} has no ${missing.join(' and no ')}` : `There is no Secret ${names[name]}`}: without the keys, what a backup holds cannot be used again`,
      )
  }
  return found
}

/**
 * A shell command that packs the api's files. Their folder is made with the first of them: before that, the archive is empty.
 * tar ends with 1 if something changed meanwhile, as uploads do that are under way. Only what the database knows matters.
 */
export const packFiles = (folder) =>
  `if [ -d ${folder}/blobs ]; then tar -C ${folder} -cf - blobs || [ $? = 1 ]; else tar -cf - --files-from=/dev/null; fi`

/** Whether the release brought its own PostgreSQL. Another one is backed up by whoever runs it. */
export async function requireOwnDatabase(release, kubectl) {
  const found = await kubectl(['get', 'statefulset', `${release}-postgresql`, '--ignore-not-found', '--output', 'name'])
  if (found.trim() === '')
    throw new PlainError(
      `The release ${release} has no PostgreSQL of its own (${process.argv[1]} works on that alone): use pg_dump and pg_restore, or what your database's host offers`,
    )
}
