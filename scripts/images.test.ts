import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildImages, readArguments } from './images.mjs'

const namesOf = (...args: string[]) => readArguments(args).images.map(({ name }) => name)

describe('the arguments of images.mjs', () => {
  it('name every image for tests and for kind if nothing is said', () => {
    const { images, builder, pusher } = readArguments([])
    expect(images.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['capstan/api:dev', 'capstan/doctor-root:dev', 'capstan/demo-echo:dev']),
    )
    expect(builder).toEqual(['docker', 'build', '--tag'])
    expect(pusher).toBeUndefined()
  })

  it('choose registry and tag of every image', () => {
    const names = namesOf('--repository', 'registry.example/ctf/', '--tag', '1.2.3')
    expect(names).toEqual(expect.arrayContaining(['registry.example/ctf/web:1.2.3', 'registry.example/ctf/demo-echo:1.2.3']))
  })

  it('push what the chart names, and nothing else', () => {
    const { images, pusher } = readArguments(['--push', '--repository', 'r.example', '--builder', 'podman build --tag'])
    expect(images.map(({ name }) => name)).toEqual(
      ['api', 'gateway', 'operator', 'capture', 'web', 'doctor', 'doctor-root'].map((name) => `r.example/${name}:dev`),
    )
    expect(pusher).toEqual(['podman', 'push'])
  })

  it('push nowhere that nobody named, and with nothing that cannot', () => {
    expect(() => readArguments(['--push'])).toThrow('--push needs --repository')
    const odd = ['--push', '--repository', 'r.example', '--builder', './build-image']
    expect(() => readArguments(odd)).toThrow('one of docker, podman, nerdctl; ./build-image was given')
  })
})

it('an image is pushed once it is built', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'capstan-images-'))
  const engine = path.join(folder, 'docker')
  const called = path.join(folder, 'called')
  writeFileSync(engine, `#!/bin/sh\necho "$@" >> ${called}\n`)
  chmodSync(engine, 0o755)
  const image = {
    name: 'r.example/api:1',
    context: '.',
    dockerfile: 'api/Dockerfile',
    args: ['--build-arg', 'A=1'],
    ofChart: true,
  }
  await buildImages([image], [engine, 'build', '--tag'], [engine, 'push'])
  expect(readFileSync(called, 'utf8').trim().split('\n')).toEqual([
    'build --tag r.example/api:1 . -f api/Dockerfile --build-arg A=1',
    'push r.example/api:1',
  ])
  const absent = path.join(folder, 'absent')
  await expect(buildImages([image], [absent])).rejects.toThrow(`r.example/api:1 could not be built: ${absent} cannot be run`)
})
