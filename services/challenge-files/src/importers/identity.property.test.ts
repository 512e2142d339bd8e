import { difficulties } from '@capstan/contract/vocabulary'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { readChallenge } from '../format/read.ts'
import { formatChallengeFile } from '../format/write.ts'
import { createRandomChooser } from '../testing/random.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'
import { createImportComment } from './known-names.ts'
import { chooseChallengePaths } from './place.ts'

const inputs = process.env.CAPSTAN_TEST_FULL === 'true' ? 2_000 : 100

function createMaker(seed: number) {
  const { random, below, one, maybe, text, list } = createRandomChooser(seed)
  const plain = () => `x${below(1_000)}`
  const shared = () => ({
    name: text(),
    category: one(['web', 'pwn', 'Odd', '0x1F', 'Open-Source Intelligence']),
    description: text(),
    author: list(text),
    tags: list(text),
    difficulty: maybe(() => one(difficulties)),
  })
  const container = () => ({
    containers: {
      main: {
        ...one([
          { image: 'example.org/a:1' },
          { build: '.' },
          { build: { context: 'src', dockerfile: 'Dockerfile', args: { A: text() } } },
        ]),
        environment: { [plain()]: text(), FLAG: 'flag{x}', N: below(100), B: random() < 0.5 },
        resources: { limits: { cpu: `${below(2_000)}m`, memory: `${below(4_000)}Mi` } },
        command: maybe(() => list(text)),
      },
    },
    expose: {
      main: [
        { target: 1 + below(65_000), [one(['tcp', 'http'])]: 1 },
        { target: 1 + below(65_000), tcp: 2 },
      ],
    },
  })
  const rcds = () => ({
    ...shared(),
    flag: one<unknown>([text(), { file: 'flag.txt' }, { regex: 'a+' }, below(10_000)]),
    value: maybe(() => one<unknown>([below(900), { min: below(100), max: 100 + below(500) }])),
    provide: list(() =>
      one<unknown>(['a.txt', 'dist', { file: './a.txt', as: plain() }, { url: 'https://example.org/f' }, 'dist/*.bin']),
    ),
    visible: maybe(() => random() < 0.5),
    ...(random() < 0.6 ? container() : {}),
  })
  const ctfcli = () => ({
    ...shared(),
    type: one(['standard', 'dynamic', 'odd']),
    value: below(900),
    extra: maybe(() => ({
      initial: 100 + below(400),
      minimum: below(100),
      decay: 1 + below(50),
      function: one(['linear', 'logarithmic']),
    })),
    flags: list(() =>
      one<unknown>([text(), { type: 'static', content: text(), data: 'case_insensitive' }, { type: 'regex', content: 'b*' }]),
    ),
    hints: list(() => one<unknown>([text(), { content: text(), cost: below(50), title: text() }])),
    files: list(() => one(['a.txt', 'dist', 'https://example.org/f', 'none.zip'])),
    attempts: maybe(() => below(20)),
    connection_info: maybe(() => one(['nc host.example.org 1337', 'https://host.example.org'])),
    requirements: maybe(() => list(text)),
    state: maybe(() => one(['visible', 'hidden'])),
    image: maybe(() => one(['.', 'example.org/b'])),
  })
  return (): readonly [file: string, value: object] =>
    one([() => ['challenge.yaml', rcds()] as const, () => ['challenge.yml', ctfcli()] as const])()
}

const beside = {
  'c/a/a.txt': 'a',
  'c/a/flag.txt': 'flag{file}\n',
  'c/a/dist/x.bin': 'x',
  'c/a/dist/y.txt': 'y',
  'c/a/Dockerfile': 'FROM x\nEXPOSE 4000\n',
  'c/a/src/Dockerfile': 'FROM x\n',
}

it(`${inputs} imported challenges are the same after they are written and read again`, () => {
  const seed = Number(process.env.CAPSTAN_TEST_SEED ?? 33)
  const make = createMaker(seed)
  let read = 0
  for (let index = 0; index < inputs; index++) {
    const [name, value] = make()
    const file = `c/a/${name}`
    const text = stringify(value, { version: index % 2 === 0 ? '1.1' : '1.2' })
    const files = { ...beside, [file]: text }
    const tree = createTextTree(files)
    const placed = chooseChallengePaths(tree, importTree(tree))
    for (const { challenge, target } of placed) {
      const own = { ...files, 'c/a/none.zip': '', [target]: formatChallengeFile(challenge, createImportComment(file)) }
      expect(readChallenge(createTextTree(own), target), `seed ${seed}, input ${index}: ${text}`).toEqual({
        file: target,
        challenge,
        findings: [],
      })
      // A second import returns the same challenge.
      const again = createTextTree(own)
      expect(chooseChallengePaths(again, importTree(again)).map((each) => [each.target, each.challenge.name])).toEqual([
        [target, challenge.name],
      ])
      read += 1
    }
  }
  expect(read).toBeGreaterThan(inputs * 0.9)
})
