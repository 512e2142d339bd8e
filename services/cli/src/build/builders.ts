import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

type Environment = Readonly<Record<string, string | undefined>>

export type BuildRequest = Readonly<{
  context: string
  dockerfile: string
  target: string | undefined
  args: Readonly<Record<string, string>>
  reference: string
  push: boolean
}>

const toolNames = ['docker', 'podman', 'nerdctl', 'buildctl'] as const
export type ToolName = (typeof toolNames)[number]

export function isBuildToolName(text: string): text is ToolName {
  return (toolNames as readonly string[]).includes(text)
}

/**
 * Builds an image.
 * @returns the reference for the platform, with the digest if the image was pushed
 */
export type Build = (order: BuildRequest) => Promise<string>

const run = promisify(execFile)
const timeoutMs = 3_600_000
const maxOutputBytes = 256 * 1024 * 1024
const shownLines = 30

/** Returns the last lines of a tool's output, which contain the error. */
function endOf(text: string): string {
  return text.trimEnd().split('\n').slice(-shownLines).join('\n')
}

async function execute(tool: string, args: readonly string[], environment: Environment): Promise<string> {
  try {
    const { stdout } = await run(tool, [...args], { env: { ...environment }, timeout: timeoutMs, maxBuffer: maxOutputBytes })
    return stdout
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    throw new Error(`\`${tool} ${args[0]}\` failed:\n${endOf(`${stdout}\n${stderr}`)}`, { cause })
  }
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-build-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function repositoryOf(reference: string): string {
  return reference.slice(0, reference.lastIndexOf(':'))
}

function pinned(reference: string, digest: string): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`The push of ${reference} returned no digest.`)
  return `${repositoryOf(reference)}@${digest}`
}

function buildArgs({ context, dockerfile, target, args, reference }: BuildRequest): string[] {
  return [
    ...['build', '--tag', reference, '--file', dockerfile],
    ...(target === undefined ? [] : ['--target', target]),
    ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    context,
  ]
}

/** Builds with docker or nerdctl. After a push, the details of the image contain the digest. */
function likeDocker(tool: 'docker' | 'nerdctl', environment: Environment): Build {
  return async (order) => {
    const { reference, push } = order
    await execute(tool, buildArgs(order), environment)
    if (!push) return reference
    await execute(tool, ['push', reference], environment)
    const answer = await execute(tool, ['image', 'inspect', '--format', '{{json .RepoDigests}}', reference], environment)
    const digests = (JSON.parse(answer.trim() || '[]') ?? []) as string[]
    const found = digests.find((each) => each.startsWith(`${repositoryOf(reference)}@`))
    return pinned(reference, found?.split('@')[1] ?? '')
  }
}

function withPodman(environment: Environment): Build {
  return async (order) => {
    const { reference, push } = order
    await execute('podman', buildArgs(order), environment)
    if (!push) return reference
    return inFolder(async (folder) => {
      const file = join(folder, 'digest')
      await execute('podman', ['push', '--digestfile', file, reference], environment)
      return pinned(reference, (await readFile(file, 'utf8')).trim())
    })
  }
}

function withBuildKit(environment: Environment): Build {
  return ({ context, dockerfile, target, args, reference, push }) =>
    inFolder(async (folder) => {
      const file = join(folder, 'metadata.json')
      await execute(
        'buildctl',
        [
          ...['build', '--frontend', 'dockerfile.v0'],
          ...['--local', `context=${context}`, '--local', `dockerfile=${dirname(dockerfile)}`],
          ...['--opt', `filename=${basename(dockerfile)}`],
          ...(target === undefined ? [] : ['--opt', `target=${target}`]),
          ...Object.entries(args).flatMap(([name, value]) => ['--opt', `build-arg:${name}=${value}`]),
          ...['--output', `type=image,name=${reference},push=${push}`, '--metadata-file', file],
        ],
        environment,
      )
      if (!push) return reference
      const metadata = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
      return pinned(reference, String(metadata['containerimage.digest'] ?? ''))
    })
}

const builders: Readonly<Record<ToolName, (environment: Environment) => Build>> = {
  docker: (environment) => likeDocker('docker', environment),
  podman: withPodman,
  nerdctl: (environment) => likeDocker('nerdctl', environment),
  buildctl: withBuildKit,
}

/** Arguments with which a tool succeeds only if it can build. The docker client cannot build alone, so its daemon must answer. */
const probes: Readonly<Record<ToolName, string>> = {
  docker: 'version',
  podman: '--version',
  nerdctl: '--version',
  buildctl: '--version',
}

async function isThere(tool: ToolName, environment: Environment): Promise<boolean> {
  try {
    await run(tool, [probes[tool]], { env: { ...environment }, timeout: 30_000 })
    return true
  } catch {
    // The tool is not installed, this user cannot run it, or its daemon does not answer. Try the next tool.
    return false
  }
}

/**
 * Finds the tool that builds images.
 * @param wanted the name of the tool; if undefined, the first usable tool is returned
 */
export async function findBuilder(
  environment: Environment,
  wanted: ToolName | undefined,
): Promise<Readonly<{ tool: ToolName; build: Build }>> {
  for (const tool of wanted ? [wanted] : toolNames)
    if (await isThere(tool, environment)) return { tool, build: builders[tool](environment) }
  throw new Error(
    `No tool to build images was found (${wanted ?? toolNames.join(', ')}). Install one of them, or set \`container.image\` to an image that is built elsewhere.`,
  )
}
