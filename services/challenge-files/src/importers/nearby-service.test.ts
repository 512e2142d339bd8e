import { describe, expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

const ctfcli = 'name: a\ncategory: crypto\ndescription: Talk.\nvalue: 10\ntype: standard\nflags: ["flag{a}"]\n'

function read(files: Readonly<Record<string, string>>, file = 'crypto/a/challenge.yml') {
  const found = importTree(createTextTree(files)).find((each) => each.file === file)
  return {
    container: found?.challenge?.container,
    containers: found?.challenge?.containers,
    description: found?.challenge?.description,
    whys: found?.findings.map((finding) => `${finding.file}: ${finding.why}`) ?? [],
  }
}

describe('a service that is described only by files next to the descriptor', () => {
  it('a service is built from its Dockerfile, and gets the port that the Dockerfile exposes', () => {
    const text = `${ctfcli}connection_info: nc host.example.org 31337\n`
    const { container, description, whys } = read({
      'crypto/a/challenge.yml': text,
      'crypto/a/Dockerfile': 'FROM x\nEXPOSE 9000\n',
    })
    expect(container).toEqual({ build: { context: '.' }, ports: [{ port: 9000, speaks: 'tcp' }] })
    expect(description).toBe('Talk.')
    expect(whys).toContain('crypto/a/Dockerfile: The image of this file becomes the container of the challenge, with port 9000.')
  })

  it.each([
    ['EXPOSE with a variable', 'FROM x\nARG PORT=4444\nEXPOSE $PORT/tcp\n', 4444],
    ['socat', 'FROM x\nCMD socat TCP-LISTEN:5001,fork EXEC:./a\n', 5001],
    ['gunicorn', 'FROM x\nCMD ["gunicorn", "-b", "0.0.0.0:8001", "app:app"]\n', 8001],
    ['a variable PORT', 'FROM x\nENV PORT=8002\n', 8002],
    ['the base image', 'FROM php:8.2-apache\n', 80],
  ])('a service gets the port that its Dockerfile defines by %s', (_, dockerfile, port) => {
    const { container } = read({ 'crypto/a/challenge.yml': ctfcli, 'crypto/a/src/Dockerfile': dockerfile })
    expect(container).toMatchObject({ build: { context: 'src' }, ports: [{ port }] })
  })

  it('a service gets the port of the address in the descriptor if its Dockerfile exposes no port', () => {
    const text = 'name: a\nflag: b\ndescription: "`nc host.example.org 4242`"\n'
    const { container } = read({ 'crypto/a/challenge.yaml': text, 'crypto/a/Dockerfile': 'FROM x\n' }, 'crypto/a/challenge.yaml')
    expect(container).toMatchObject({ ports: [{ port: 4242, speaks: 'tcp' }] })
  })

  it('the services of a compose file become the containers of the challenge', () => {
    const compose = `services:
  db: { image: postgres }
  app:
    build: { context: ./app, target: run }
    container_name: app
    environment: [MODE=hard, "TOKEN=\${TOKEN}"]
    ports: ["127.0.0.1:\${PORT:-9000}:22/tcp"]
    deploy: { resources: { limits: { memory: 256M } } }
`
    const { containers, whys } = read({
      'crypto/a/challenge.yml': ctfcli,
      'crypto/a/deploy/docker-compose.yml': compose,
      'crypto/a/deploy/app/Dockerfile': 'FROM x\n',
    })
    expect(containers).toEqual([
      {
        name: 'app',
        build: { context: 'deploy/app', target: 'run' },
        ports: [{ port: 22, speaks: 'tcp' }],
        environment: { MODE: 'hard' },
        memoryMb: 256,
      },
      { name: 'db', image: 'postgres' },
    ])
    expect(whys).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/compose\.yml: The 2 services of this file become the containers/),
        expect.stringMatching(/compose\.yml: Variables of the shell are not available/),
      ]),
    )
  })

  it('a service whose port is unknown gets the default port if challenges of its category usually have a server', () => {
    const { container, whys } = read({ 'crypto/a/challenge.yml': ctfcli, 'crypto/a/Dockerfile': 'FROM x\n' })
    expect(container).toMatchObject({ ports: [{ port: 1337, speaks: 'tcp' }] })
    expect(whys).toContain('crypto/a/Dockerfile: The file names no port, so 1337 is used.')
  })

  it('a service is left out and reported if neither its port nor its address is known', () => {
    const text = ctfcli.replace('category: crypto', 'category: reverse')
    const { container, whys } = read({ 'crypto/a/challenge.yml': text, 'crypto/a/Dockerfile': 'FROM x\nRUN make\n' })
    expect(container).toBeUndefined()
    expect(whys).toContain(
      'crypto/a/Dockerfile: The file names no port, and the challenge names no address, so the challenge has no container.',
    )
  })

  it('a Dockerfile in a folder for players or in the folder of another challenge is ignored', () => {
    const { container } = read({
      'crypto/a/challenge.yml': ctfcli,
      'crypto/a/dist/Dockerfile': 'FROM x\nEXPOSE 1\n',
      'crypto/a/b/challenge.yml': ctfcli.replace('name: a', 'name: b'),
      'crypto/a/b/Dockerfile': 'FROM x\nEXPOSE 2\n',
    })
    expect(container).toBeUndefined()
  })
})

it('the import retains the address of a service that is not in the repository', () => {
  const { description } = read({ 'crypto/a/challenge.yml': `${ctfcli}connection_info: nc host.example.org 31337\n` })
  expect(description).toBe('Talk.\n\nnc host.example.org 31337')
})

it('the import writes the address of a remote file into the description if the challenge has local files', () => {
  const text = 'name: a\nflag: b\ndescription: Read.\nprovide: [x.py, { url: "https://files.example.org/y.zip" }]\n'
  const [only] = importTree(createTextTree({ 'a/challenge.yaml': text, 'a/x.py': '' }))
  expect(only?.challenge).toMatchObject({
    description: 'Read.\n\n<https://files.example.org/y.zip>',
    attachments: [{ file: 'x.py' }],
  })
})

it('the import reports a container without limits unless the options of the import contain limits', () => {
  const text =
    'name: a\nflag: b\ncontainers: { main: { image: example/a, ports: [80] } }\nexpose: { main: [{ target: 80, tcp: 1 }] }\n'
  const tree = createTextTree({ 'a/challenge.yaml': text })
  const whysOf = (limits: object) =>
    importTree(tree, limits).flatMap(({ findings }) =>
      findings.filter(({ field }) => field === 'container').map(({ why }) => why),
    )
  expect(whysOf({})).toEqual(['No limit is given, so the platform gives each instance 64 MB of memory and 0.1 cores.'])
  expect(whysOf({ memoryMb: 512 })).toEqual(['No limit is given, so the platform gives each instance 0.1 cores.'])
  expect(whysOf({ memoryMb: 512, cpu: 0.5 })).toEqual([])
  expect(importTree(tree, { memoryMb: 512 })[0]?.challenge?.container).toMatchObject({ memoryMb: 512 })
})
