#!/usr/bin/env node
// Usage: node scripts/images.mjs [--list] [--tag TAG] [--builder COMMAND]
//
// Builds every image: the four processes of the platform, the demo challenges and the small images that tests run.
// COMMAND is called as `COMMAND NAME CONTEXT -f DOCKERFILE [--build-arg ...]`; the default is `docker build --tag`. --list
// prints `NAME CONTEXT DOCKERFILE` a line and builds nothing.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { execute, PlainError, root, run, step } from './bootstrap.mjs'

/** Every image with its build context and Dockerfile, relative to the repository, and further arguments of the build. */
export function listImages(tag) {
  const platform = [
    ['api', 'services/api/Dockerfile'],
    ['gateway', 'services/gateway/Dockerfile'],
    ['operator', 'operator/Dockerfile'],
    ['capture', 'operator/capture/Dockerfile'],
    ['web', 'web/Dockerfile'],
    ['doctor', 'operator/doctor/Dockerfile'],
    // The same as root: the worst that a challenge of the profile Baseline can be.
    ['doctor-root', 'operator/doctor/Dockerfile', ['--build-arg', 'DOCTOR_USER=0:0']],
  ].map(([name, dockerfile, args = []]) => ({ name: `capstan/${name}:${tag}`, context: '.', dockerfile, args }))
  const foldersOf = (parent) =>
    existsSync(path.join(root, parent))
      ? readdirSync(path.join(root, parent))
          .map((name) => ({ name, context: `${parent}/${name}` }))
          .filter(({ context }) => existsSync(path.join(root, context, 'Dockerfile')))
      : []
  const challenges = [...foldersOf('e2e/challenges'), ...foldersOf('operator/testing-images')].map(({ name, context }) => ({
    name: `capstan/demo-${name}:${tag}`,
    context,
    dockerfile: `${context}/Dockerfile`,
    args: [],
  }))
  return [...platform, ...challenges]
}

/** Builds all images with `builder`, for example `['docker', 'build', '--tag']`. */
export async function buildImages(builder, tag) {
  const [command, ...first] = builder
  for (const { name, context, dockerfile, args } of listImages(tag)) {
    await step(name, async () => {
      const { code, output } = await execute(command, [...first, name, context, '-f', dockerfile, ...args])
      if (code !== 0) throw new PlainError(`${name} could not be built:\n${output.trim().split('\n').slice(-25).join('\n')}`)
    })
  }
}

if (process.argv[1] === path.join(root, 'scripts', 'images.mjs')) {
  await run(async () => {
    const { values } = parseArgs({
      options: {
        list: { type: 'boolean', default: false },
        tag: { type: 'string', default: 'dev' },
        builder: { type: 'string', default: 'docker build --tag' },
      },
    })
    if (values.list) for (const { name, context, dockerfile } of listImages(values.tag)) console.log(name, context, dockerfile)
    else await buildImages(values.builder.split(' '), values.tag)
  })
}
