import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { buildImages, chartValuesForImages, readArguments } from './images.mjs'

function namesOf(...args: string[]) {
  return readArguments(args).images.map(({ name }) => name)
}

describe('the arguments of images.mjs', () => {
  it('without arguments, images.mjs selects all images', () => {
    const { images, builder, engine } = readArguments([])
    expect(images.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['capstan/api:dev', 'capstan/isolation-probe-root:dev', 'capstan/demo-echo:dev']),
    )
    expect(builder).toEqual(['docker', 'build', '--tag'])
    expect(engine).toBeUndefined()
  })

  it('the arguments set registry and tag of every image', () => {
    const names = namesOf('--repository', 'registry.example/ctf/', '--tag', '1.2.3')
    expect(names).toEqual(expect.arrayContaining(['registry.example/ctf/web:1.2.3', 'registry.example/ctf/demo-echo:1.2.3']))
  })

  it('only the images of the chart are selected for a push', () => {
    const { images, engine } = readArguments(['--push', '--repository', 'r.example', '--builder', 'podman build --tag'])
    expect(images.map(({ name }) => name)).toEqual(
      ['api', 'gateway', 'operator', 'capture', 'web', 'isolation-probe', 'isolation-probe-root'].map(
        (name) => `r.example/${name}:dev`,
      ),
    )
    expect(engine).toBe('podman')
  })

  it('a push is refused without a registry or with a command that cannot push', () => {
    expect(() => readArguments(['--push'])).toThrow('--push needs --repository')
    const odd = ['--push', '--repository', 'r.example', '--builder', './build-image']
    expect(() => readArguments(odd)).toThrow('one of docker, podman, nerdctl; ./build-image was given')
    expect(() => readArguments(['--values-file', 'images.yaml'])).toThrow('--values-file needs --push')
  })
})

describe('an image', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const image = {
    name: 'r.example:5000/ctf/api:1',
    context: '.',
    dockerfile: 'api/Dockerfile',
    args: ['--build-arg', 'A=1'],
    ofChart: true,
  }
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capstan-images-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Installs a fake command with this name. The command records its arguments and then runs a line of shell code. */
  const anEngine = (name: string, line: string) => {
    const engine = path.join(folder, name)
    const called = `${engine}-called`
    writeFileSync(engine, `#!/bin/sh\necho "$@" >> ${called}\n${line}\n`)
    chmodSync(engine, 0o755)
    return { engine, calls: () => readFileSync(called, 'utf8').trim().split('\n') }
  }

  it('an image is pushed after its build, and its digest is read from docker', async () => {
    const others = JSON.stringify([`elsewhere.example/api@sha256:${'b'.repeat(64)}`, `r.example:5000/ctf/api@${digest}`])
    const { engine, calls } = anEngine('docker', `[ "$1" != image ] || { echo old >&2; echo '${others}'; }`)
    expect(await buildImages([image], [engine, 'build', '--tag'], engine)).toEqual({ api: digest })
    expect(calls()).toEqual([
      'build --tag r.example:5000/ctf/api:1 . -f api/Dockerfile --build-arg A=1',
      'push r.example:5000/ctf/api:1',
      'image inspect --format {{json .RepoDigests}} r.example:5000/ctf/api:1',
    ])
  })

  it('an image has the digest that podman reports after the push', async () => {
    const { engine } = anEngine('podman', `[ "$1" != push ] || echo '${digest}' > "$3"`)
    expect(await buildImages([image], [engine, 'build', '--tag'], engine)).toEqual({ api: digest })
  })

  it('an image is refused if it has no digest after the push', async () => {
    const { engine } = anEngine('nerdctl', `[ "$1" != image ] || echo '[]'`)
    await expect(buildImages([image], [engine, 'build', '--tag'], engine)).rejects.toThrow(
      'r.example:5000/ctf/api:1 has no digest',
    )
  })

  it('an image that cannot be built causes an error with the reason', async () => {
    const absent = path.join(folder, 'absent')
    await expect(buildImages([image], [absent])).rejects.toThrow(
      `r.example:5000/ctf/api:1 could not be built: ${absent} cannot be run`,
    )
  })

  it('an image appears in the values of the chart with repository, tag and digest', () => {
    expect(parse(chartValuesForImages('r.example:5000/ctf', '1.10', { api: digest, 'isolation-probe-root': digest }))).toEqual({
      image: { repository: 'r.example:5000/ctf', tag: '1.10', digests: { api: digest, 'isolation-probe-root': digest } },
    })
  })
})
