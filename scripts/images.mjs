#!/usr/bin/env node
// Usage: node scripts/images.mjs [--list] [--repository REPOSITORY] [--tag TAG] [--push] [--builder COMMAND]
//
// Builds every image: the processes of the platform, the demo challenges and the small images that tests run.
//
// --repository, --tag  Names are REPOSITORY/NAME:TAG, as the chart's image.repository and image.tag have them: `capstan` and `dev`
//                      if not given.
// --push               Builds only the images that the chart names, and pushes each to its registry. Log in there first.
// --builder            Called as `COMMAND NAME CONTEXT -f DOCKERFILE [--build-arg ...]`: `docker build --tag` if not given, or
//                      for example `podman build --tag`. Its first word is what pushes.
// --list               Prints `NAME CONTEXT DOCKERFILE` a line, and builds nothing.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { execute, PlainError, root, run, step } from './bootstrap.mjs'

/**
 * Every image with its build context and Dockerfile, relative to the repository, and further arguments of the build. `ofChart`: the
 * chart names it.
 */
export function listImages(tag, repository = 'capstan') {
  const platform = [
    ['api', 'services/api/Dockerfile'],
    ['gateway', 'services/gateway/Dockerfile'],
    ['operator', 'operator/Dockerfile'],
    ['capture', 'operator/capture/Dockerfile'],
    ['web', 'web/Dockerfile'],
    ['doctor', 'operator/doctor/Dockerfile'],
    // The same as root: the worst that a challenge of the profile Baseline can be.
    ['doctor-root', 'operator/doctor/Dockerfile', ['--build-arg', 'DOCTOR_USER=0:0']],
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
  const challenges = [...foldersOf('e2e/challenges'), ...foldersOf('operator/testing-images')].map(({ name, context }) => ({
    name: `${repository}/demo-${name}:${tag}`,
    context,
    dockerfile: `${context}/Dockerfile`,
    args: [],
    ofChart: false,
  }))
  return [...platform, ...challenges]
}

const engines = ['docker', 'podman', 'nerdctl']

/** What the arguments ask for. @throws PlainError with a sentence for a person */
export function readArguments(args) {
  const { values } = parseArgs({
    args,
    options: {
      list: { type: 'boolean', default: false },
      repository: { type: 'string', default: 'capstan' },
      tag: { type: 'string', default: 'dev' },
      push: { type: 'boolean', default: false },
      builder: { type: 'string', default: 'docker build --tag' },
    },
  })
  const { list, push, tag } = values
  const repository = values.repository.replace(/\/+$/, '')
  const builder = values.builder.split(' ').filter((word) => word !== '')
  const engine = builder[0] ?? ''
  // A name without a registry is one of Docker Hub: nobody means the folder `capstan` there.
  if (push && repository === 'capstan')
    throw new PlainError('--push needs --repository: where the images go, for example registry.example.org/ctf')
  if (push && !engines.includes(path.basename(engine)))
    throw new PlainError(`--push needs a --builder that can push, one of ${engines.join(', ')}; ${engine || 'none'} was given`)
  const images = listImages(tag, repository).filter(({ ofChart }) => ofChart || !push)
  return { images, builder, list, pusher: push ? [engine, 'push'] : undefined }
}

/** Builds images with `builder`, for example `['docker', 'build', '--tag']`; then pushes each with `pusher`, if there is one. */
export async function buildImages(images, builder, pusher) {
  for (const { name, context, dockerfile, args } of images) {
    await step(name, async () => {
      await must(`${name} could not be built`, [...builder, name, context, '-f', dockerfile, ...args])
      if (pusher) await must(`${name} could not be pushed`, [...pusher, name])
    })
  }
}

async function must(complaint, [command, ...args]) {
  const { code, output } = await execute(command, args).catch((cause) => {
    throw new PlainError(`${complaint}: ${command} cannot be run: ${cause.message}`)
  })
  if (code !== 0) throw new PlainError(`${complaint}:\n${output.trim().split('\n').slice(-25).join('\n')}`)
}

if (process.argv[1] === path.join(root, 'scripts', 'images.mjs')) {
  await run(async () => {
    const { images, builder, list, pusher } = readArguments(process.argv.slice(2))
    if (list) for (const { name, context, dockerfile } of images) console.log(name, context, dockerfile)
    else await buildImages(images, builder, pusher)
  })
}
