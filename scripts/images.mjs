#!/usr/bin/env node
// Usage: node scripts/images.mjs [--list] [--repository REPOSITORY] [--tag TAG] [--push [--values-file FILE]] [--builder COMMAND]
//
// Builds all images: the processes of the platform, the demo challenges, and small images for tests.
//
// --repository, --tag  Images are named REPOSITORY/NAME:TAG, like image.repository and image.tag of the chart. Default: `capstan`
//                      and `dev`.
// --push               Builds only the images of the chart, pushes each to its registry, and prints the chart's values for them:
//                      repository, tag, and the digest of each image. Log in to the registry first.
// --values-file        Writes these values into a file for `helm --values` instead of printing them.
// --builder            Command that is called as `COMMAND NAME CONTEXT -f DOCKERFILE [--build-arg ...]`. Default: `docker build
//                      --tag`; another example is `podman build --tag`. Its first word is also the command that pushes.
// --list               Prints a line `NAME CONTEXT DOCKERFILE` for each image, and builds nothing.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { PlainError, root, runCommand, runMain, runStep } from './bootstrap.mjs'

/**
 * Returns all images. Build context and Dockerfile are relative to the repository. `ofChart` is true if the chart deploys the
 * image.
 */
export function listImages(tag, repository = 'capstan') {
  const platform = [
    ['api', 'services/api/Dockerfile'],
    ['gateway', 'services/gateway/Dockerfile'],
    ['operator', 'operator/Dockerfile'],
    ['capture', 'operator/capture/Dockerfile'],
    ['web', 'web/Dockerfile'],
    ['isolation-probe', 'operator/isolation-probe/Dockerfile'],
    // Build a second probe image that runs as root, because challenges with the profile Baseline may run as root.
    ['isolation-probe-root', 'operator/isolation-probe/Dockerfile', ['--build-arg', 'PROBE_USER=0:0']],
  ].map(([name, dockerfile, args = []]) => ({
    name: `${repository}/${name}:${tag}`,
    context: '.',
    dockerfile,
    args,
    ofChart: true,
  }))
  const foldersOf = (parent) =>
    existsSync(path.join(root, parent))
      ? readdirSync(path.join(root, parent))
          .map((name) => ({ name, context: `${parent}/${name}` }))
          .filter(({ context }) => existsSync(path.join(root, context, 'Dockerfile')))
      : []
  /**
   * Returns the name of the Dockerfile that an import created for this challenge. If this file exists, the build uses
   * it instead of the original Dockerfile.
   */
  const findConvertedDockerfile = (context) =>
    readdirSync(path.join(root, context)).find((name) => name.startsWith('Dockerfile.capstan'))
  const challenges = [...foldersOf('e2e/challenges'), ...foldersOf('operator/testing-images')].map(({ name, context }) => ({
    name: `${repository}/demo-${name}:${tag}`,
    context,
    dockerfile: `${context}/${findConvertedDockerfile(context) ?? 'Dockerfile'}`,
    args: [],
    ofChart: false,
  }))
  return [...platform, ...challenges]
}

const engines = ['docker', 'podman', 'nerdctl']

/**
 * Parses the arguments.
 * @throws PlainError with a message for the user
 */
export function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      list: { type: 'boolean', default: false },
      repository: { type: 'string', default: 'capstan' },
      tag: { type: 'string', default: 'dev' },
      push: { type: 'boolean', default: false },
      'values-file': { type: 'string' },
      builder: { type: 'string', default: 'docker build --tag' },
    },
  })
  const { list, push, tag, 'values-file': valuesFile } = values
  const repository = values.repository.replace(/(?<!\/)\/+$/, '')
  const builder = values.builder.split(' ').filter((word) => word !== '')
  const engine = builder[0] ?? ''
  // Refuse the default name `capstan`. This name contains no registry, so docker would push the images to Docker Hub.
  if (push && repository === 'capstan')
    throw new PlainError('--push needs --repository, the target of the images, for example registry.example.org/ctf')
  if (push && !engines.includes(path.basename(engine)))
    throw new PlainError(`--push needs a --builder that can push, one of ${engines.join(', ')}; ${engine || 'none'} was given`)
  if (valuesFile !== undefined && !push)
    throw new PlainError('--values-file needs --push, because the registry reports the digests')
  const images = listImages(tag, repository).filter(({ ofChart }) => ofChart || !push)
  return { images, builder, list, repository, tag, valuesFile, engine: push ? engine : undefined }
}

/**
 * Builds images with the command `builder`, such as `['docker', 'build', '--tag']`. If `engine` is given, pushes the images with
 * this program.
 * @returns a map from the name of each pushed image, such as `api`, to its digest
 */
export async function buildImages(images, builder, engine) {
  const digests = {}
  for (const { name, context, dockerfile, args } of images) {
    await runStep(name, async () => {
      await must(`${name} could not be built`, [...builder, name, context, '-f', dockerfile, ...args])
      if (engine) digests[path.basename(name).split(':')[0]] = await pushImage(engine, name)
    })
  }
  return digests
}

/**
 * Pushes an image.
 * @returns the digest of the image in the registry
 */
async function pushImage(engine, name) {
  const complaint = `${name} could not be pushed`
  // Read the digest from podman's push. The local image has another digest, because podman compresses the image again.
  if (path.basename(engine) === 'podman') {
    const folder = mkdtempSync(path.join(tmpdir(), 'capstan-digest-'))
    const file = path.join(folder, 'digest')
    await must(complaint, [engine, 'push', '--digestfile', file, name])
    const digest = readFileSync(file, 'utf8').trim()
    rmSync(folder, { recursive: true })
    return digest
  }
  await must(complaint, [engine, 'push', name])
  const said = await must(`${name} has no digest`, [engine, 'image', 'inspect', '--format', '{{json .RepoDigests}}', name])
  const repository = name.slice(0, name.lastIndexOf(':'))
  const digest = /^sha256:[0-9a-f]{64}/.exec(said.split(`"${repository}@`)[1] ?? '')?.[0]
  if (digest === undefined) throw new PlainError(`${name} has no digest: ${engine} knows ${said}`)
  return digest
}

/** Returns a values file for the Helm chart. The file contains the digests of the pushed images. */
export function chartValuesForImages(repository, tag, digests) {
  const lines = Object.entries(digests).map(([name, digest]) => `    ${name}: ${digest}`)
  return [
    'image:',
    `  repository: ${JSON.stringify(repository)}`,
    `  tag: ${JSON.stringify(tag)}`,
    '  digests:',
    ...lines,
    '',
  ].join('\n')
}

async function must(complaint, [command, ...args]) {
  const { code, output } = await runCommand(command, args).catch((cause) => {
    throw new PlainError(`${complaint}: ${command} cannot be run: ${cause.message}`)
  })
  if (code !== 0) throw new PlainError(`${complaint}:\n${output.trim().split('\n').slice(-25).join('\n')}`)
  return output.trim()
}

if (process.argv[1] === path.join(root, 'scripts', 'images.mjs')) {
  await runMain(async () => {
    const { images, builder, list, repository, tag, valuesFile, engine } = readArguments(process.argv.slice(2))
    if (list) {
      for (const { name, context, dockerfile } of images) console.log(name, context, dockerfile)
      return
    }
    const digests = await buildImages(images, builder, engine)
    if (!engine) return
    const values = chartValuesForImages(repository, tag, digests)
    if (valuesFile === undefined) console.log(`\nValues of the chart:\n\n${values}`)
    else writeFileSync(valuesFile, values)
  })
}
