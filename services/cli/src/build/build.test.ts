import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../run.ts'

const digest = `sha256:${'0d5a6b1f'.repeat(8)}`
let folder = ''
let lines: string[] = []

function put(path: string, text: string, mode?: number) {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
  if (mode !== undefined) chmodSync(join(folder, path), mode)
}

/**
 * Installs a fake tool with this name, which records its arguments. `answers` is shell code that prints the output of the tool.
 */
function install(tool: string, answers: string) {
  return put(`bin/${tool}`, `#!/bin/sh\necho "${tool} $*" >> "${folder}/calls"\n${answers}\n`, 0o755)
}

async function capstan(...args: string[]): Promise<number> {
  lines = []
  const print = (line: string) => void lines.push(line)
  return runCommandLine(args, { line: print, error: print, environment: { PATH: join(folder, 'bin') } })
}

function build(...args: string[]) {
  return capstan('build', ...args, join(folder, 'game'))
}
function calls(): string[] {
  return readFileSync(join(folder, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('version'))
}
function locked(): Record<string, { image: string; sources: string }> {
  return JSON.parse(readFileSync(join(folder, 'game/capstan.lock.json'), 'utf8')).images
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-build-test-'))
  put(
    'game/pwn/oracle/capstan.yaml',
    [
      ...['apiVersion: capstan/v1', 'kind: Challenge', 'name: oracle', 'title: Oracle', 'category: Pwn'],
      ...['description: It speaks.', 'flags: []', 'container:', '  build:', '    context: service', '    target: run'],
      ...['    args:', '      EDITION: second', '  ports: [{ port: 5000 }]', ''],
    ].join('\n'),
  )
  put('game/pwn/oracle/service/Dockerfile', 'FROM scratch\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

function context() {
  return join(folder, 'game/pwn/oracle/service')
}
function options() {
  return `--target run --build-arg EDITION=second ${context()}`
}
function dockerfile() {
  return `--file ${context()}/Dockerfile`
}

describe('building images', () => {
  it('builds and pushes with docker, and records the digest', async () => {
    install('docker', `[ "$1" = image ] && echo '["registry.example.org/ctf/oracle@${digest}"]'; exit 0`)
    expect(await build('--registry', 'registry.example.org/ctf')).toBe(0)
    const { image, sources } = locked().oracle ?? { image: '', sources: '' }
    expect(image).toBe(`registry.example.org/ctf/oracle@${digest}`)
    const reference = `registry.example.org/ctf/oracle:${sources.slice(0, 16)}`
    expect(calls()).toEqual([
      `docker build --tag ${reference} ${dockerfile()} ${options()}`,
      `docker push ${reference}`,
      `docker image inspect --format {{json .RepoDigests}} ${reference}`,
    ])
  })

  it('rebuilds an image only if its sources have changed', async () => {
    install('docker', 'exit 0')
    expect(await build()).toBe(0)
    const first = locked().oracle?.image
    expect(first).toMatch(/^capstan\/oracle:[0-9a-f]{16}$/)
    expect(await build()).toBe(0)
    expect(lines).toEqual(['All images are up to date.'])
    expect(calls()).toHaveLength(1)
    put('game/pwn/oracle/service/server.py', 'print()')
    expect(await build()).toBe(0)
    expect(calls()).toHaveLength(2)
    expect(locked().oracle?.image).not.toBe(first)
  })

  it('reads the digest from the file that podman writes', async () => {
    install('podman', `[ "$1" = push ] && printf '${digest}' > "$3"; exit 0`)
    expect(await build('--registry', 'registry.example.org/ctf')).toBe(0)
    expect(locked().oracle?.image).toBe(`registry.example.org/ctf/oracle@${digest}`)
    expect(calls()[1]).toMatch(/^podman push --digestfile \S+ registry\.example\.org\/ctf\/oracle:[0-9a-f]{16}$/)
  })

  it('reads the digest from the metadata that BuildKit writes', async () => {
    const write = `while [ $# -gt 1 ]; do [ "$1" = --metadata-file ] && echo '{"containerimage.digest":"${digest}"}' > "$2"; shift; done; exit 0`
    install('buildctl', write)
    expect(await build('--registry', 'registry.example.org/ctf')).toBe(0)
    expect(locked().oracle?.image).toBe(`registry.example.org/ctf/oracle@${digest}`)
    expect(calls()[0]).toContain(
      `--local context=${context()} --local dockerfile=${context()} --opt filename=Dockerfile --opt target=run --opt build-arg:EDITION=second`,
    )
  })

  it('builds each image of a list of containers from its folder, and rebuilds only images whose sources changed', async () => {
    install('docker', 'exit 0')
    const containers = ['page', 'db'].map(
      (name) => `  - name: ${name}\n    build: { context: ${name} }\n    ports: [{ port: 80 }]\n`,
    )
    const header =
      'apiVersion: capstan/v1\nkind: Challenge\nname: oracle\ntitle: Oracle\ncategory: Web\ndescription: It speaks.\n'
    put('game/pwn/oracle/capstan.yaml', `${header}flags: [{ text: a }]\ncontainers:\n${containers.join('')}`)
    for (const name of ['page', 'db']) put(`game/pwn/oracle/${name}/Dockerfile`, `FROM scratch\nLABEL name=${name}\n`)
    expect(await build()).toBe(0)
    expect(Object.keys(locked())).toEqual(['oracle/db', 'oracle/page'])
    expect(locked()['oracle/page']?.image).toMatch(/^capstan\/oracle\/page:[0-9a-f]{16}$/)
    expect(calls()).toHaveLength(2)
    put('game/pwn/oracle/db/server.py', 'print()')
    expect(await build()).toBe(0)
    expect(calls()).toHaveLength(3)
    expect(calls()[2]).toContain('capstan/oracle/db:')
  })

  it('uses podman if the daemon of docker does not answer', async () => {
    install('docker', 'exit 1')
    install('podman', 'exit 0')
    expect(await build()).toBe(0)
    expect(locked().oracle?.image).toMatch(/^capstan\/oracle:[0-9a-f]{16}$/)
    expect(calls()).toContainEqual(expect.stringMatching(/^podman build /))
  })

  it('uses nerdctl if --tool requests it', async () => {
    install('docker', 'exit 0')
    install('nerdctl', `[ "$1" = image ] && echo '["registry.example.org/ctf/oracle@${digest}"]'; exit 0`)
    expect(await build('--tool', 'nerdctl', '--registry', 'registry.example.org/ctf')).toBe(0)
    expect(calls().every((call) => call.startsWith('nerdctl '))).toBe(true)
  })

  it('prints the output of a failing tool and records nothing', async () => {
    install('docker', 'echo "no such base" >&2; exit 7')
    install('podman', 'exit 1')
    put('bin/docker', `#!/bin/sh\n[ "$1" = version ] && exit 0\necho "no such base" >&2; exit 7\n`, 0o755)
    expect(await build()).toBe(1)
    expect(lines.join('\n')).toContain('`docker build` failed:\n')
    expect(lines.join('\n')).toContain('no such base')
    expect(() => locked()).toThrow('ENOENT')
  })

  it('reports an error if the push returns no digest', async () => {
    install('docker', `[ "$1" = image ] && echo '[]'; exit 0`)
    expect(await build('--registry', 'registry.example.org/ctf')).toBe(1)
    expect(lines.join('\n')).toContain('returned no digest')
  })

  it('reports an error if no build tool is installed', async () => {
    expect(await build('--tool', 'nerdctl')).toBe(1)
    expect(lines).toEqual([expect.stringContaining('No tool to build images was found (nerdctl). Install one of them,')])
  })
})
