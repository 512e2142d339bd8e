import { expect, it } from 'vitest'
import { containersOf } from '../format/challenge.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree, listUnreadDescriptors } from './import.ts'

type Files = Readonly<Record<string, string>>

/** Returns a challenge in the format of ctfcli. */
function ctfcli(fields: object): Files {
  return { 'web/a/challenge.yml': JSON.stringify({ name: 'A', category: 'web', value: 100, flags: ['f'], ...fields }) }
}

/** Returns a challenge in the format of a single event. */
function event(fields: object, beside: Files = {}): Files {
  return { 'web/a/challenge.json': JSON.stringify({ title: 'A', points: 1, description: 'd', flag: 'f', ...fields }), ...beside }
}

function rcds(fields: object): Files {
  return { 'web/a/challenge.yaml': JSON.stringify({ name: 'A', flag: 'f', value: 1, ...fields }) }
}

function compose(service: object): Files {
  return { 'web/a/compose.yaml': JSON.stringify({ services: { app: { image: 'x', ports: [80], ...service } } }) }
}

const dockerfile = 'FROM x\nEXPOSE 8080\n'

function importOne(files: Files) {
  const [read] = importTree(createTextTree(files))
  if (read === undefined) throw new Error('Nothing was imported')
  return { ...read, container: read.challenge && containersOf(read.challenge)[0] }
}

function dynamic(extra: object) {
  return ctfcli({ type: 'dynamic', extra: { initial: 100, decay: 10, minimum: 50, ...extra } })
}
function konata(challenge: object): Files {
  return {
    'web/a/kona.yaml': JSON.stringify({ challenges: [{ name: 'A', category: 'web', flags: { rctf: 'f' }, ...challenge }] }),
  }
}

it.each<readonly [files: Files, field: string, why: string]>([
  [dynamic({ minimum: -5 }), 'extra.minimum', 'becomes 0'],
  [dynamic({ minimum: 500 }), 'extra.minimum', 'becomes 100'],
  [dynamic({ decay: -3 }), 'extra.decay', 'becomes 1'],
  [dynamic({ decay: 2e9 }), 'extra.decay', 'becomes 1000000000'],
  [dynamic({ function: 'cubic' }), 'extra.function', 'logarithmic'],
  [rcds({ value: { min: 700, max: 500 } }), 'value.min', 'becomes 500'],
  [rcds({ value: { max: 500 } }), 'value.min', 'no minimum'],
  [event({ points: 100, minimum: 0.5, decay: 4 }), 'minimum', 'becomes 0'],
  [konata({ scoring: { initialValue: 90 } }), 'challenges[0].scoring.minimumValue', 'becomes 90'],
  [ctfcli({ hints: [{ cost: 5 }] }), 'hints[0].content', 'no text'],
  [ctfcli({ flags: ['f', { type: 'static', content: 'g', data: 'odd' }] }), 'flags[1].data', 'not supported'],
  [ctfcli({ flags: ['f', { type: 'other', content: 'g', data: 'x' }] }), 'flags[1]', 'not supported'],
  [event({ flag: undefined, flags: [{ type: 'location', flag: '1,2' }] }), 'flags[0].type', 'not supported'],
  [event({ points: 1, value: 2 }), 'value', 'those of `points`'],
  [rcds({ provide: [{ as: 'x.zip' }] }), 'provide[0]', 'No file is named'],
  [event({ ports: ['53/udp'] }), 'ports[0]', 'only TCP ports'],
  [event({ port: 53, protocol: 'udp' }), 'protocol', 'only TCP ports'],
  [event({ port: 53, protocol: 'quic' }), 'protocol', 'not a known protocol'],
  [event({ services: [{ name: 'a', path: 'b' }] }), 'services[0]', 'names no port'],
  [compose({ healthcheck: { test: 'true', interval: '9s' } }), 'services.app.healthcheck.interval', 'once per second'],
  [compose({ entrypoint: [] }), 'services.app.entrypoint', 'still starts'],
  [compose({ volumes: ['C:\\data:/d'] }), 'services.app.volumes[0]', '`C:\\data` is not in the imported folder'],
  [
    { ...compose({ image: undefined, build: { context: '.', args: ['V', 'W=1'] } }), 'web/a/Dockerfile': 'FROM x' },
    'services.app.build.args',
    '`V` has no value',
  ],
  [konata({ instancerConfig: { config: { pods: [] } }, ...{} }), 'challenges[0].instancerConfig', 'neither an image'],
  [
    konata({ instancerConfig: { config: { services: { a: { image: 'x' } } } } }),
    'challenges[0].instancerConfig.expose',
    'names no port',
  ],
  [ctfcli({ hints: ['h', { content: 'x', cost: 5, state: 'hidden' }] }), 'hints[1]', 'hint is hidden'],
  [ctfcli({ flags: ['f', { type: 'regex', content: '(?=f)f' }] }), 'flags[1].content', 'not valid RE2'],
  [ctfcli({ requirements: ['Gone'] }), 'unlock.after', 'No challenge here has the name `gone`'],
  [ctfcli({ description: { en: 'Look.' } }), 'description', 'This must be text.'],
  [event({ points: 90, dynamic: { function: 'cubic', minimum: 9, decay: 5 } }), 'dynamic.function', 'logarithmic'],
  [event({ points: 90, dynamic: { minimum: 9 } }), 'dynamic.minimum', 'no decay'],
  [event({ http: true }), 'http', 'has no container'],
  [ctfcli({ description: 'nc {{ .host }} {{ .port }}' }), 'description', 'address of their instance'],
  [ctfcli({ extra: 'none', type: 'dynamic' }), 'extra', 'This must be a mapping.'],
  [event({ endpoint: { type: 'tcp', host: 'a.example', port: 9 } }), 'endpoint', 'added to the end of the description'],
  [event({ flag: undefined, flags: ['^f\\{[a-z]\\}$'] }), 'flags', 'so it is a pattern'],
  [event({ flag: { file: 'flag.txt' } }, { 'web/a/flag.txt': 'f'.repeat(128) }), 'flags[0]', 'is not a flag of 1 to 127'],
  [event({ attachments: ['a.py'] }, { 'web/a/dist/a.py': '' }), 'attachments', 'is the file `dist/a.py`'],
  [{ ...ctfcli({ files: ['./a.py'] }), 'web/a/files/a.py': '' }, 'files', 'is the file `files/a.py`'],
  [compose({ environment: { FLAG: `ctf{${'f'.repeat(128)}}` } }), 'flags', 'longer than the 127 characters'],
  [{ 'web/a/challenge.yml': 'name: A\ntype: standard\nvalue: 1\nvalue: 2\nflags: [f]\n' }, 'value', 'only its last value'],
  [{ 'web/a/challenge.json': '{\t"name": "A", "flag": "f", "flag": "g", "points": 1}' }, 'flag', 'only its last value'],
  [{ 'web/a/challenge.yml': 'name: A\ntype: standard\nvalue: 1\nflags: [f]\ndescription: !x a.md\n' }, '', 'tag `!x` is unknown'],
])('reports a value that the import changes or drops: %j', (files, field, why) => {
  const { challenge, findings } = importOne(files)
  expect(challenge).toBeDefined()
  expect(findings).toContainEqual(expect.objectContaining({ field, why: expect.stringContaining(why) }))
})

it.each<readonly [files: Files, challenge: object]>([
  [event({ scoring: { mode: 'static' }, points: undefined, value: 50 }), { score: { points: 50 } }],
  [event({ points: undefined, max_points: 70, min_points: 70 }), { score: { points: 70 } }],
  [event({ flag: undefined, flags: [{ flag: 'x', case_insensitive: true }] }), { flags: [{ text: 'x', ignoreCase: true }] }],
  [event({ flag: undefined, flags: [{ flag: 'x', regex: true }] }), { flags: [{ pattern: 'x' }] }],
  [event({ flag: undefined, flags: ['^f\\{a\\.b\\}$'] }), { flags: [{ text: 'f{a.b}' }] }],
  [event({ flag: undefined, flags: ['^f\\{[a-z]\\}$'] }), { flags: [{ pattern: '^f\\{[a-z]\\}$' }] }],
  [
    event({ points: undefined, scoring: { start: 400, stop: 40, decay: 9 } }),
    { score: { points: 400, minimumShare: 0.1, difficulty: 9 } },
  ],
  [event({ endpoint: { type: 'tcp', host: 'a.example', port: 9 } }), { description: 'd\n\nnc a.example 9' }],
  [event({ endpoint: { type: 'http', host: 'a.example' } }), { description: 'd\n\nhttp://a.example' }],
  [
    event(
      { description: 'https://a.example', endpoint: { type: 'tcp', host: 'a.example', port: 9 } },
      { 'web/a/Dockerfile': dockerfile },
    ),
    { container: { ports: [{ port: 8080, speaks: 'http' }] } },
  ],
  [event({ released_at: '2025-01-02 03:04:05' }), { release: '2025-01-02T03:04:05.000Z' }],
  [event({ distribution: ['a.py'] }, { 'web/a/dist/a.py': '', 'web/a/dist/b.py': '' }), { attachments: [{ file: 'dist/a.py' }] }],
  [
    event({ deployment: { port: 9, resources: { limits: { cpu: '2', memory: '1Gi' } } } }, { 'web/a/Dockerfile': dockerfile }),
    { container: { cpu: 2, memoryMb: 1024, ports: [{ port: 9 }] } },
  ],
  [
    event({ requirements: ['B'] }, { 'web/b/challenge.json': '{"title": "B", "flag": "f", "points": 1}' }),
    { unlock: { after: ['b'] } },
  ],
  [rcds({ port: 8000, protocol: 'http', files: ['a.py'] }), { attachments: [{ file: 'a.py' }] }],
  [
    rcds({ containers: { app: { image: 'x', ports: [80], egress: true } }, expose: { app: [{ target: 80 }] } }),
    { container: { egress: true } },
  ],
  [
    { ...ctfcli({ image: 'registry.example/a' }), 'web/a/Dockerfile': dockerfile },
    { container: { image: 'registry.example/a', ports: [{ port: 8080, speaks: 'http' }] } },
  ],
  [ctfcli({ description: 'nc {{ .host }} {{ .port }}, {{7*7}}' }), { description: 'nc [address of your instance], {{7*7}}' }],
  [
    event({ points: 90, dynamic: { function: 'linear', minimum: 9, decay: 5 } }),
    { score: { points: 90, minimumShare: 0.1, difficulty: 5, curve: 'linear' } },
  ],
  [event({ category: ['baby', 're'] }), { category: 'Reverse', tags: ['baby'] }],
  [event({ disabled: 'true' }), { enabled: false }],
  [event({ hints: [{ description: 'h', cost: 1 }] }), { hints: [{ text: 'h', price: 1 }] }],
  [event({ file: 'a.zip' }, { 'web/a/a.zip': 'x' }), { attachments: [{ file: 'a.zip' }] }],
  [event({ files: ['d\\a.zip'] }, { 'web/a/d/a.zip': 'x' }), { attachments: [{ file: 'd/a.zip' }] }],
  [event({}, { 'web/a/distfiles/a.zip': 'x' }), { attachments: [{ file: 'distfiles' }] }],
  [
    Object.fromEntries(Object.entries(event({ tags: ['101', 'Forensics'] })).map(([path, text]) => [path.slice(4), text])),
    { category: 'Forensics' },
  ],
  [rcds({ value: undefined, points: { min: 50, max: 500 } }), { score: { points: 500, minimumShare: 0.1 } }],
  [rcds({ hidden: true }), { enabled: false }],
  [
    rcds({ container: { main: { image: 'x', env: { A: 'b' }, limits: { cpu: 1, mem: 256 }, expose: { 8888: 'http' } } } }),
    { container: { environment: { A: 'b' }, cpu: 1, memoryMb: 256, ports: [{ port: 8888, speaks: 'http' }] } },
  ],
  [ctfcli({ image: 'x', port: 8080 }), { container: { ports: [{ port: 8080 }] } }],
  [ctfcli({ flags: [null, 'f'], hints: [null], tags: [null], files: [null] }), { flags: [{ text: 'f' }] }],
  [compose({ entrypoint: '', command: ['run', 'x'] }), { container: { command: ['run', 'x'] } }],
  [{ ...compose({}), 'web/a/handout/a.zip': 'x' }, { attachments: [{ file: 'handout' }] }],
  [
    { 'web/a/src/compose.yaml': 'services: {a: {image: x, ports: [80]}}', 'web/a/attachments/b': '' },
    { attachments: [{ file: '../attachments' }] },
  ],
])('imports a value instead of dropping it: %j', (files, expected) => {
  expect(importOne(files).challenge).toMatchObject(expected)
})

it.each([
  ['Pwn', 'nc host.example 1337, see https://docs.example', 'tcp'],
  ['Pwn', 'The technique: https://docs.example', 'tcp'],
  ['Crypto', 'https://host.example:8080/', 'http'],
  ['Misc', 'https://host.example/', 'http'],
  ['Web', 'Look at it.', 'http'],
])('in a %s challenge with the text "%s", the port speaks %s', (category, description, speaks) => {
  const { container } = importOne({ ...ctfcli({ category, description }), 'web/a/Dockerfile': dockerfile })
  expect(container?.ports).toEqual([{ port: 8080, speaks }])
})

it('a stated protocol has precedence over the usual protocol of a port', () => {
  const { container } = importOne(event({ port: 8080, protocol: 'tcp', category: 'misc' }, { 'web/a/Dockerfile': dockerfile }))
  expect(container?.ports).toEqual([{ port: 8080, speaks: 'tcp' }])
})

it('a UDP port in a Dockerfile does not become the port of the challenge', () => {
  const files = { ...ctfcli({ category: 'web' }), 'web/a/Dockerfile': 'FROM x\nEXPOSE 53/udp\n' }
  expect(importOne(files).container?.ports).toEqual([{ port: 80, speaks: 'http' }])
})

it('the container of a kCTF challenge has precedence over a container that is guessed from a Dockerfile', () => {
  const containers = [{ name: 'a', env: [{ name: 'MODE', value: 'prod' }], resources: { limits: { memory: '256Mi' } } }]
  const kctf = {
    ...{ apiVersion: 'kctf.dev/v1', kind: 'Challenge', metadata: { name: 'a' } },
    spec: {
      network: { ports: [{ protocol: 'TCP', port: 1337, targetPort: 8080 }] },
      podTemplate: { template: { spec: { containers } } },
    },
  }
  const { container, findings } = importOne({
    ...ctfcli({}),
    'web/a/challenge.yaml': JSON.stringify(kctf),
    'web/a/challenge/Dockerfile': 'FROM x\n',
  })
  expect(container).toMatchObject({
    ...{ build: { context: 'challenge' }, environment: { MODE: 'prod' }, memoryMb: 256 },
    ports: [{ port: 8080, speaks: 'http' }],
  })
  expect(findings.filter(({ why }) => why.includes('becomes the container'))).toEqual([])
})

it('a jailed program that listens itself retains the port of its descriptor', () => {
  const port = { protocol: 'TCP', port: 1337, targetPort: 8080 }
  const image = 'FROM python AS chroot\nFROM gcr.io/kctf-docker/challenge\nCOPY --from=chroot / /chroot\n'
  const files = {
    'web/a/challenge.yaml': JSON.stringify({
      apiVersion: 'kctf.dev/v1',
      kind: 'Challenge',
      spec: { network: { ports: [port] } },
    }),
    'web/a/challenge/Dockerfile': `${image}CMD kctf_setup && kctf_drop_privs nsjail --config /home/user/a.cfg -- /usr/bin/serve app\n`,
    'web/a/challenge/a.cfg': 'mode: ONCE\n',
  }
  const { container, dockerfiles } = importOne(files)
  expect(container?.ports).toEqual([{ port: 8080, speaks: 'tcp' }])
  expect(dockerfiles?.[0]?.text).toContain('EXPOSE 8080')
})

it('files of a kCTF challenge that its other descriptor does not list are reported', () => {
  const { challenge, findings } = importOne({
    ...ctfcli({}),
    'web/a/challenge.yaml': JSON.stringify({ apiVersion: 'kctf.dev/v1', kind: 'Challenge', spec: {} }),
    'web/a/attachments/a.zip': '',
  })
  expect(challenge?.attachments).toBeUndefined()
  expect(findings).toContainEqual(expect.objectContaining({ field: 'attachments', outcome: 'left-out' }))
})

it.each([
  ['Dockerfile', 'FROM x\nEXPOSE 80\n'],
  ['compose.yaml', 'services: {a: {image: x, ports: [80]}}'],
])('a %s in a folder for players is reported if a challenge needs a service', (name, text) => {
  const { container, findings } = importOne({ ...ctfcli({}), [`web/a/release/${name}`]: text })
  expect(container).toBeUndefined()
  expect(findings).toContainEqual(expect.objectContaining({ file: `web/a/release/${name}`, outcome: 'left-out' }))
})

it('imports every challenge of a file that lists several challenges, each with its line', () => {
  const entry = (title: string) => `  {"title": "${title}", "flag": "${title}", "points": 5, "odd": 1,\n   "category": "web"}`
  for (const text of [`[\n${entry('A')},\n${entry('B')}\n]`, `{"challenges": [\n${entry('A')},\n${entry('B')}\n]}`]) {
    const tree = createTextTree({ 'x/challenges.json': text, 'x/Dockerfile': dockerfile, 'x/flag.txt': 'no' })
    const imported = importTree(tree)
    expect(imported.map(({ challenge }) => [challenge?.title, challenge?.flags, challenge?.container])).toEqual([
      ['A', [{ text: 'A' }], undefined],
      ['B', [{ text: 'B' }], undefined],
    ])
    expect(imported[1]?.findings).toContainEqual(
      expect.objectContaining({ field: expect.stringMatching(/\[1\]\.odd$/), line: 4 }),
    )
  }
})

it('reads descriptors whose names have capital letters, and Kubernetes objects with any name', () => {
  const klodd = { apiVersion: 'klodd.tjcsec.club/v1', kind: 'Challenge', metadata: { name: 'k' }, spec: {} }
  const imported = importTree(
    createTextTree({
      'a/CHALLENGE.YML': 'name: A\ntype: standard\nvalue: 1\nflags: [f]\n',
      'b/some.yaml': 'apiVersion: klodd.tjcsec.club/v1\nkind: Challenge\nmetadata: {name: k}\nspec: {}\n',
      'c/any.toml': 'name = "C"\nflag = "f"\ncategory = "web"\n',
      'd/any.json': JSON.stringify({ name: 'D', flag: 'f', category: 'web' }),
      'e/data.json': JSON.stringify({ items: [{ name: 'D', flag: 'f', category: 'web' }] }),
      'f/other.yaml': JSON.stringify(klodd),
    }),
  )
  expect(imported.map(({ challenge }) => challenge?.title)).toEqual(['A', 'k', 'C', 'D'])
})

it('finds a descriptor among more than 10,000 other files', () => {
  const others = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`a/${index}.yml`, 'a: 1\n']))
  const tree = createTextTree({ ...others, 'z/x.yml': 'name: A\ntype: standard\nvalue: 1\nflags: [f]\n' })
  expect(importTree(tree).map(({ file }) => file)).toEqual(['z/x.yml'])
})

it('names every file that looks like a descriptor but is not read', () => {
  const tree = createTextTree({
    'a/task.yml': 'flag: x\n',
    'b/metadata.json': '{"flag": "x"}',
    'c/challenge.json': '{\n// comment\n"name": "A", "flag": "f", "points": 1}',
    'd/problem.md': '# A\n',
    'e/config.toml': 'a = 1\n',
    'f/metadata.yml': 'kind: x\n',
  })
  expect(listUnreadDescriptors(tree, importTree(tree))).toEqual([
    'a/task.yml',
    'b/metadata.json',
    'c/challenge.json',
    'd/problem.md',
  ])
})

it('an unreadable file with any name is refused if it contains a flag', () => {
  const [read] = importTree(createTextTree({ 'a/x.yml': 'name: "A\nflags: [f]\ntype: standard\n' }))
  expect(read?.findings).toMatchObject([{ file: 'a/x.yml', outcome: 'refused' }])
})

it.each(['description', 'name', 'flags'])('a NUL character in the field %s is refused, because it cannot be stored', (field) => {
  const { challenge, findings } = importOne(ctfcli({ [field]: field === 'flags' ? ['a\0b'] : 'a\0b' }))
  expect(challenge).toBeUndefined()
  expect(findings).toContainEqual(expect.objectContaining({ outcome: 'refused', why: expect.stringContaining('NUL') }))
})

it('a descriptor with a NUL character does not stop the import of other descriptors', () => {
  const imported = importTree(createTextTree({ ...ctfcli({ description: '\0' }), 'b/challenge.yml': 'name: B\nflags: [f]\n' }))
  expect(imported.map(({ challenge }) => challenge?.title)).toEqual(['B', undefined])
})

it.each(['\n', ' ', '\t', '"flag"', '[', 'flag\n', 'nc ', 'name :\n'])(
  'a file of 1 MB that only repeats %j is read in linear time',
  (text) => {
    const whole = text.repeat(Math.floor(1_000_000 / text.length))
    const tree = createTextTree({ 'a/x.yml': whole, 'b/x.toml': whole, 'c/x.json': whole, 'd/task.yml': whole.slice(0, 1_000) })
    expect(importTree(tree).filter(({ challenge }) => challenge !== undefined)).toEqual([])
    const { challenge } = importOne({ ...ctfcli({ description: whole.slice(0, 100_000) }), 'web/a/Dockerfile': dockerfile })
    expect(challenge).toBeDefined()
  },
)

it('a compose file gets the text, the flag and the files in the folder of its challenge', () => {
  const files = {
    'web/a/src/compose.yaml': 'services: {a: {image: x, ports: [80]}}',
    'web/a/description.md': 'Look.',
    'web/a/flags.txt': 'ctf{real_one}\n',
    'web/a/attachments/b': '',
  }
  expect(importOne(files).challenge).toMatchObject({
    ...{ title: 'a', description: { file: '../description.md' }, enabled: true },
    ...{ flags: [{ file: '../flags.txt' }], attachments: [{ file: '../attachments' }] },
  })
  const several = importOne({ ...files, 'web/a/flags.txt': 'ctf{one}\nctf{two}\n' })
  expect(several.challenge?.flags).toEqual([])
  expect(several.findings).toContainEqual(expect.objectContaining({ field: 'flags', outcome: 'left-out' }))
})

it.each([
  ['ctf{fake}', { flags: ['ctf{real}'] }, true],
  ['ctf{real}', { flags: ['ctf{real}', 'ctf{other}'] }, false],
  ['not set', { flags: ['ctf{real}'] }, false],
  ['ctf{fake}', { flags: ['ctf{real}', { type: 'regex', content: 'ctf.*' }] }, false],
])('reports whether the container variable %s differs from the flags of %j', (value, fields, isReported) => {
  const { findings } = importOne({ ...ctfcli(fields), ...compose({ environment: { FLAG: value } }) })
  const reported = findings.filter(({ field }) => field === 'container.environment.FLAG')
  expect(reported.map(({ why }) => why.includes('wrong flag'))).toEqual(isReported ? [true] : [])
})

it('compares container variables with the flag in a file', () => {
  const descriptor = { 'web/a/challenge.yaml': JSON.stringify({ name: 'A', value: 1, flag: { file: 'flag.txt' } }) }
  const { findings } = importOne({
    ...descriptor,
    'web/a/flag.txt': 'ctf{real}',
    ...compose({ environment: ['MY_FLAG=ctf{x}'] }),
  })
  expect(findings).toContainEqual(expect.objectContaining({ field: 'container.environment.MY_FLAG' }))
})
