// Code that backup and restore share: they parse the same arguments, run kubectl, and use the same objects of a release.
import { spawn } from 'node:child_process'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { PlainError } from '../bootstrap.mjs'

export const files = { database: 'database.dump', blobs: 'blobs.tar', secrets: 'secrets.json', about: 'about.json' }

/** Secrets to back up, each with the environment variable through which the api reads the Secret. */
const precious = [
  { name: 'keys', variable: 'CAPSTAN_SECRET_KEY', keys: ['secretKey', 'internalToken'] },
  { name: 'admin', variable: 'CAPSTAN_ADMIN_PASSWORD', keys: ['password'] },
]

/**
 * Parses the command line of the backup or restore script.
 * @returns names of the release and its namespace, the backup folder, and a kubectl function for this namespace
 */
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
  /**
   * Runs kubectl with `from` as its input. If `to` is given, the output is written to `to`.
   * @returns the output if `to` is not given
   */
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
    // Ignore errors while writing to the input. A command that fails closes its input early, and its error message explains more.
    if (typeof from === 'string') child.stdin.end(from)
    else if (from) flows.push(pipeline(from, child.stdin).catch(() => {}))
    const [code] = await Promise.all(flows)
    if (code !== 0) throw new PlainError(`kubectl ${args.slice(0, 3).join(' ')} failed:\n${complaint.trim()}`)
    return output
  }
}

/**
 * Returns arguments of kubectl that run a shell command in the PostgreSQL pod of the release. Environment variables contain the
 * user and the password for the command.
 */
export const inDatabase = (release, command) => [
  ...['exec', '--stdin', `${release}-postgresql-0`, '--container', 'postgresql', '--', 'sh', '-c'],
  `export PGPASSWORD=$POSTGRES_PASSWORD PGHOST=127.0.0.1 PGUSER=$POSTGRES_USER; PATH=$PATH:$(echo /usr/lib/postgresql/*/bin); ${command}`,
]

/** Returns arguments of kubectl that run a command in a pod of the release's api. */
export const inApi = (release, ...command) => [
  ...['exec', '--stdin', `deployment/${release}-api`, '--container', 'api', '--'],
  ...command,
]

async function environmentOf(release, kubectl) {
  const { spec } = JSON.parse(await kubectl(['get', 'deployment', `${release}-api`, '--output', 'json']))
  return spec.template.spec.containers.find(({ name }) => name === 'api').env
}

/** Returns the kind of store in which the api stores files: `folder`, or `s3`, which needs a separate backup. */
export async function blobStoreOf(release, kubectl) {
  const variables = await environmentOf(release, kubectl)
  return variables.find(({ name }) => name === 'CAPSTAN_BLOBS')?.value ?? 'folder'
}

/**
 * Returns an object with the names that the Secrets `keys` and `admin` have in the cluster.
 * @throws PlainError if the api does not use both Secrets
 */
export async function secretNamesOf(release, kubectl) {
  const variables = await environmentOf(release, kubectl)
  const named = precious.map(({ name, variable }) => {
    const secret = variables.find((each) => each.name === variable)?.valueFrom?.secretKeyRef?.name
    if (!secret)
      throw new PlainError(`The deployment ${release}-api does not read ${variable} from a Secret: is it a release of the chart?`)
    return [name, secret]
  })
  return Object.fromEntries(named)
}

/**
 * Returns the content of the release's Secrets, `[{ name, data }]`. The Secret `admin` may be missing.
 * @throws PlainError if the keys are missing, because a backup without them is useless
 */
export async function readSecrets(release, kubectl) {
  const names = await secretNamesOf(release, kubectl)
  const found = []
  for (const { name, keys } of precious) {
    const text = await kubectl(['get', 'secret', names[name], '--ignore-not-found', '--output', 'json'])
    const isThere = text.trim() !== ''
    const data = (isThere && JSON.parse(text).data) || {}
    const present = Object.fromEntries(keys.filter((key) => data[key] !== undefined).map((key) => [key, data[key]]))
    const missing = keys.filter((key) => present[key] === undefined)
    if (missing.length === 0) found.push({ name, data: present })
    // The Secret `admin` may be missing. Its password is only used to create the first admin, whose account is in the
    // database.
    else if (name !== 'admin')
      throw new PlainError(
        `${isThere ? `The Secret ${names[name]} has no ${missing.join(' and no ')}` : `There is no Secret ${names[name]}`}: without the keys, a backup cannot be used`,
      )
  }
  return found
}

/**
 * Returns a shell command that writes a tar archive of the api's files to standard output. If nothing was uploaded, the folder is
 * missing and the archive is empty. tar exits with 1 if a file changes, for example during an upload. That is harmless, because
 * the database does not refer to such a file yet.
 */
export const packFilesCommand = (folder) =>
  `if [ -d ${folder}/blobs ]; then tar -C ${folder} -cf - blobs || [ $? = 1 ]; else tar -cf - --files-from=/dev/null; fi`

/**
 * Checks that the release includes PostgreSQL.
 * @throws PlainError if the database is external, because it needs a separate backup
 */
export async function requireBundledDatabase(release, kubectl) {
  const found = await kubectl(['get', 'statefulset', `${release}-postgresql`, '--ignore-not-found', '--output', 'name'])
  if (found.trim() === '')
    throw new PlainError(
      `The release ${release} does not include PostgreSQL, which ${process.argv[1]} needs: use pg_dump and pg_restore, or the backups of your database provider`,
    )
}
