import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { ChallengeFile } from '../format/challenge.ts'
import { importCompose } from '../importers/import.ts'
import { createRandomChooser } from '../testing/random.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { formatComposeFile } from './write.ts'

const inputs = process.env.CAPSTAN_TEST_FULL === 'true' ? 2_000 : 100

const file = 'web/shop/compose.yaml'

const beside = {
  'web/shop/Dockerfile': 'FROM x\nEXPOSE 4000\n',
  'web/shop/app/Dockerfile': 'FROM y\nCOPY a /a\n',
  'web/shop/app/other.dockerfile': 'FROM z AS base\nFROM base AS run\n',
  'web/shop/conf/site.conf': 'a',
  'web/shop/conf/more/b.conf': 'b',
}

function createMaker(seed: number) {
  const { below, one, maybe, text, list, random } = createRandomChooser(seed)
  const variable = () => one(['A', 'N', 'yes', 'PORT', 'DB_FLAG_TABLE', 'x1'])
  const value = () => text().replaceAll('$', '$$$$')
  const port = () => 1 + below(65_535)
  const service = (names: readonly string[], index: number) => ({
    ...one<object>([
      { image: one(['example.org/a:1', 'redis', 'nginx:1.27']) },
      { build: '.' },
      { build: { context: './app', args: { A: value() } } },
      { build: { context: 'app', dockerfile: 'other.dockerfile', target: 'run' } },
    ]),
    environment: one<unknown>([
      undefined,
      { [variable()]: value(), B: below(100), C: random() < 0.5, FLAG: '$FLAG' },
      [`${variable()}=${value()}`, 'FLAG'],
    ]),
    command: maybe(() => one<unknown>([list(value), 'run --port 80 "a b"'])),
    entrypoint: maybe(() => list(value)),
    ports: maybe(() => list(() => one<unknown>([port(), `${port()}:${port()}`, { target: port(), published: port() }]))),
    networks: maybe(() =>
      one<unknown>([['inner'], ['inner', 'default'], { inner: { aliases: [`n${index}`, 'Odd_Name'] }, outer: null }]),
    ),
    network_mode: maybe(() => one([undefined, undefined, 'none'])),
    depends_on:
      index === 0
        ? undefined
        : one<unknown>([
            undefined,
            [names[index - 1]],
            { [names[index - 1] ?? '']: { condition: one(['service_started', 'service_healthy']) } },
          ]),
    volumes: maybe(() => list(() => one(['./conf/site.conf:/etc/site.conf:ro', './conf:/conf', 'data:/data', '/tmp:/host']))),
    tmpfs: maybe(() => list(() => one(['/tmp', '/run:size=5m', '/var/a/b:mode=700,size=1g']))),
    user: maybe(() => one(['1000', '1000:1001', 'root', 'app'])),
    working_dir: maybe(() => '/srv'),
    read_only: maybe(() => random() < 0.5),
    mem_limit: maybe(() => `${below(4_000)}m`),
    cpus: maybe(() => below(300) / 100),
    healthcheck: maybe(() => ({ test: one(['curl -f http://localhost:4000/up', 'nc -z localhost 80', 'true']) })),
    privileged: maybe(() => true),
    'x-capstan': maybe(() =>
      one<object>([
        { flag: { file: '/flag', environment: 'SECRET' }, egress: true },
        { ports: [{ port: port(), speaks: 'http', guarded: true }], capture: true, readiness: { line: text() } },
        { environment: { A: value(), KEY: { secret: 'KEY' } }, storageMb: 200, security: 'Baseline', receivesFlag: true },
      ]),
    ),
  })
  return () => {
    const names = ['web', 'db', 'Odd_Name'].slice(0, 1 + below(3))
    return {
      services: Object.fromEntries(names.map((name, index) => [name, service(names, index)])),
      volumes: { data: {} },
      networks: { inner: { internal: true }, outer: {} },
      'x-capstan': maybe(() => ({
        title: value(),
        description: value(),
        flags: list(() => ({ text: 'ctf{a$$b}' })),
        score: { points: below(500) },
        hints: list(() => ({ text: value(), price: below(50) })),
      })),
    }
  }
}

function challengeOf(files: Readonly<Record<string, string>>): ChallengeFile | undefined {
  return importCompose(createTextTree(files), file).challenge
}

it(`${inputs} challenges imported from compose files do not change when they are exported and imported again`, () => {
  const seed = Number(process.env.CAPSTAN_TEST_SEED ?? 33)
  const make = createMaker(seed)
  let read = 0
  for (let index = 0; index < inputs; index++) {
    const text = stringify(make(), { version: '1.1' })
    const { challenge, dockerfiles = [] } = importCompose(createTextTree({ ...beside, [file]: text }), file)
    if (challenge === undefined) continue
    const own = { ...beside, ...Object.fromEntries(dockerfiles.map((each) => [each.path, each.text])) }
    const written = formatComposeFile(challenge) ?? ''
    expect(challengeOf({ ...own, [file]: written }), `seed ${seed}, input ${index}: ${text}${written}`).toEqual(challenge)
    read += 1
  }
  expect(read).toBeGreaterThan(inputs * 0.9)
})
