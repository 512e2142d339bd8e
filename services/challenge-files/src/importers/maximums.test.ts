// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts have variables of compose files
import { ContainerLimits, InputLimits, Limits } from '@capstan/contract/limits'
import { expect, it } from 'vitest'
import { type ChallengeFile, containersOf } from '../format/challenge.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'
import { maxPorts } from './parts.ts'

type Files = Readonly<Record<string, string>>

function numbered<Each>(count: number, make: (index: number) => Each): Each[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** Returns a challenge in the format of ctfcli. */
function ctfcli(fields: object): Files {
  return { 'web/a/challenge.yml': JSON.stringify({ name: 'A', category: 'web', value: 1, flags: ['f'], ...fields }) }
}

/** Returns the challenges that another challenge may have as prerequisites. */
function prerequisites(count: number): Files {
  return Object.fromEntries(
    numbered(count, (index) => [`web/z${index}/challenge.yml`, `name: r${index}\nvalue: 1\nflags: [f]\n`]),
  )
}

/** Returns a challenge in a JSON format that some CTF events use. */
function event(fields: object): Files {
  return {
    'web/a/challenge.json': JSON.stringify({ title: 'A', category: 'web', points: 1, description: 'd', flag: 'f', ...fields }),
  }
}

function kona(fields: object): Files {
  const challenge = { name: 'A', category: 'web', flags: { rctf: 'f' }, ...fields }
  return { 'web/a/kona.yaml': JSON.stringify({ challenges: [challenge] }) }
}

/** Returns a compose file with two services. */
function compose(service: object): Files {
  return {
    'web/a/compose.yaml': JSON.stringify({ services: { app: { image: 'x', ports: [80], ...service }, db: { image: 'y' } } }),
  }
}

function dockerService(environment: object): Files {
  const instancerConfig = { config: { services: { app: { image: 'x', environment } } }, expose: [{ containerPort: 80 }] }
  return kona({ instancerConfig, flags: { rctf: [{ provider: 'x/dynamic', config: { base: 'ctf{a}' } }] } })
}

function variables(count: number, value: string): object {
  return Object.fromEntries(numbered(count, (index) => [`V${index}`, value]))
}

function firstContainer(challenge: ChallengeFile) {
  return containersOf(challenge)[0]
}

function firstNetwork(challenge: ChallengeFile) {
  const [network] = firstContainer(challenge)?.networks ?? []
  return typeof network === 'object' ? network : undefined
}

function flagVariables(challenge: ChallengeFile) {
  return firstContainer(challenge)?.flag?.environment
}

const { maxFlagVariables, maxVariables, maxAliases } = ContainerLimits
const service = 'services.app'
const ofKona = 'challenges[0]'

it.each<
  readonly [
    title: string,
    field: string,
    max: number,
    what: string,
    files: (count: number) => Files,
    listOf: (challenge: ChallengeFile) => unknown,
  ]
>([
  [
    'hints of ctfcli',
    'hints',
    InputLimits.maxHints,
    '',
    (count) => ctfcli({ hints: numbered(count, (index) => (index % 2 === 0 ? `h${index}` : { content: `h${index}` })) }),
    ({ hints }) => hints,
  ],
  [
    'hints of an event',
    'hint',
    InputLimits.maxHints,
    '',
    (count) => event({ hint: numbered(count, (index) => ({ text: `h${index}` })) }),
    ({ hints }) => hints,
  ],
  [
    'hints of Konata',
    `${ofKona}.ctfd.hints`,
    InputLimits.maxHints,
    '',
    (count) => kona({ ctfd: { hints: numbered(count, (index) => ({ hint: `h${index}` })) } }),
    ({ hints }) => hints,
  ],
  [
    'flags of an event',
    'flag',
    InputLimits.maxFlagsPerCall,
    '',
    (count) => event({ flag: numbered(count, (index) => `f${index}`) }),
    ({ flags }) => flags,
  ],
  ['authors', 'author', 32, '', (count) => ctfcli({ author: numbered(count, (index) => `a${index}`) }), ({ authors }) => authors],
  [
    'prerequisites',
    'requirements',
    Limits.maxPrerequisites,
    '',
    (count) => ({ ...ctfcli({ requirements: numbered(count, (index) => `r${index}`) }), ...prerequisites(count) }),
    ({ unlock }) => unlock?.after,
  ],
  [
    'attachments that match a pattern',
    'files',
    InputLimits.maxFilesPerUpload,
    '',
    (count) => ({
      ...ctfcli({ files: ['d/*'] }),
      ...Object.fromEntries(numbered(count, (index) => [`web/a/d/${index}`, ''])),
    }),
    ({ attachments }) => attachments,
  ],
  [
    'attachments in a list',
    `${ofKona}.attachments.files`,
    InputLimits.maxFilesPerUpload,
    '',
    (count) => kona({ attachments: { files: numbered(count, (index) => `${index}.txt`) } }),
    ({ attachments }) => attachments,
  ],
  [
    'ports of an image',
    'ports',
    maxPorts,
    '',
    (count) => event({ image: 'x', ports: numbered(count, (index) => index + 1) }),
    (challenge) => firstContainer(challenge)?.ports,
  ],
  [
    'ports of a service',
    'services.app.ports',
    maxPorts,
    '',
    (count) => event({ services: { app: { image: 'x', ports: numbered(count, (index) => `${index + 1}/tcp`) } } }),
    (challenge) => firstContainer(challenge)?.ports,
  ],
  [
    'ports of a compose service',
    `${service}.ports`,
    maxPorts,
    ' ports',
    (count) => compose({ ports: numbered(count, (index) => index + 1) }),
    (challenge) => firstContainer(challenge)?.ports,
  ],
  [
    'ports in the range of a compose service',
    `${service}.ports`,
    maxPorts,
    ' ports',
    (count) => compose({ ports: [`9000-${8999 + count}:8000-${7999 + count}`] }),
    (challenge) => firstContainer(challenge)?.ports,
  ],
  [
    'variables of a compose service',
    `${service}.environment`,
    maxVariables,
    ' variables',
    (count) => compose({ environment: variables(count, 'v') }),
    (challenge) => Object.keys(firstContainer(challenge)?.environment ?? {}),
  ],
  [
    'variables of a compose service that get the flag',
    `${service}.environment`,
    maxFlagVariables,
    ' variables with the flag',
    (count) => ({
      ...ctfcli({ flags: [{ type: 'regex', content: 'a' }] }),
      ...compose({ environment: variables(count, '${FLAG}') }),
    }),
    flagVariables,
  ],
  [
    'variables of a service of Konata that get the flag',
    `${ofKona}.instancerConfig.config.services.app.environment`,
    maxFlagVariables,
    ' variables with the flag',
    (count) => dockerService(variables(count, '${RCTF_FLAG}')),
    flagVariables,
  ],
  [
    'aliases of a compose service',
    service,
    maxAliases,
    ' additional names',
    (count) => compose({ networks: { back: { aliases: numbered(count, (index) => `a${index}`) } } }),
    (challenge) => firstNetwork(challenge)?.aliases,
  ],
])('%s above the maximum are left out and reported', (_title, field, max, what, files, listOf) => {
  for (const surplus of [0, 1]) {
    const [read] = importTree(createTextTree(files(max + surplus)))
    const reported = read?.findings.filter(({ why }) => why.startsWith('No more than'))
    expect(read?.challenge && listOf(read.challenge)).toHaveLength(max)
    expect(reported?.map((finding) => [finding.field, finding.outcome, finding.why])).toEqual(
      surplus === 0 ? [] : [[field, 'left-out', `No more than ${max}${what} are imported.`]],
    )
  }
})

const { maxTitleLength, maxShortTextLength } = InputLimits

it.each<readonly [string, field: string, max: number, (text: string) => Files, (challenge: ChallengeFile) => unknown]>([
  ['title of an event', 'title', maxTitleLength, (title) => event({ title }), ({ title }) => title],
  [
    'name of a folder',
    'title',
    maxTitleLength,
    (folder) => ({ [`${folder}/compose.yaml`]: 'services: { app: { image: x, ports: [80] } }\n' }),
    ({ title }) => title,
  ],
  ['hint', 'hints[0]', maxShortTextLength, (text) => ctfcli({ hints: [text] }), ({ hints }) => hints?.[0]],
  [
    'hint with a price',
    'hints[0].text',
    maxShortTextLength,
    (text) => event({ hints: [{ text, cost: 1 }] }),
    ({ hints }) => hints?.[0],
  ],
])('a %s above the maximum length is cut and reported', (_title, field, max, files, textOf) => {
  for (const surplus of ['', 'y']) {
    const whole = 'x'.repeat(max) + surplus
    const [read] = importTree(createTextTree(files(whole)))
    const text = read?.challenge && textOf(read.challenge)
    const reported = read?.findings.filter(({ why }) => why.startsWith('It is cut'))
    expect(typeof text === 'object' ? text : { text }).toMatchObject({ text: 'x'.repeat(max) })
    expect(reported?.map((finding) => [finding.field, finding.outcome, finding.why])).toEqual(
      surplus === '' ? [] : [[field, 'converted', `It is cut to ${max} characters.`]],
    )
  }
})

function hosted(container: object): Files {
  return ctfcli({ type: 'StaticContainer', container: { containerImage: 'x', containerExposePort: 80, ...container } })
}

/** Returns a challenge in the format of rcds with the resources of its container. */
function rcds(limits: object): Files {
  const containers = { app: { image: 'x', ports: [80], resources: { limits } } }
  return { 'web/a/challenge.yaml': JSON.stringify({ name: 'A', category: 'web', value: 1, flag: 'f', containers }) }
}

function konaService(limits: object): Files {
  return kona({ instancerConfig: { config: { services: { app: { image: 'x', ...limits } } }, expose: [{ containerPort: 80 }] } })
}

const ofPod = 'containers.app.resources.limits'
const ofKonaService = `${ofKona}.instancerConfig.config.services.app`

it.each<readonly [string, field: string, Files, used: object]>([
  ['CPU of ctfcli', 'container.cpuCount', hosted({ cpuCount: 2_000 }), { cpu: 102.4 }],
  ['memory of ctfcli', 'container.memoryLimit', hosted({ memoryLimit: 16 }), { memoryMb: 32 }],
  ['disk of ctfcli', 'container.storageLimit', hosted({ storageLimit: 9_999_999 }), { storageMb: 1_048_576 }],
  ['disk of ctfcli', 'container.storageLimit', hosted({ storageLimit: 0 }), { storageMb: 128 }],
  ['CPU of rcds', `${ofPod}.cpu`, rcds({ cpu: '250m' }), { cpu: 0.3 }],
  ['CPU of rcds', `${ofPod}.cpu`, rcds({ cpu: '50m' }), { cpu: 0.1 }],
  ['memory of rcds', `${ofPod}.memory`, rcds({ memory: '8Mi' }), { memoryMb: 32 }],
  ['CPU of Konata', `${ofKonaService}.cpus`, konaService({ cpus: 0.01 }), { cpu: 0.1 }],
  ['memory of Konata', `${ofKonaService}.mem_limit`, konaService({ mem_limit: '8m' }), { memoryMb: 32 }],
  ['CPU of compose', 'services.app.cpus', compose({ cpus: '0.25' }), { cpu: 0.3 }],
  ['memory of compose', 'services.app.mem_limit', compose({ mem_limit: '6m' }), { memoryMb: 32 }],
  [
    'memory of a compose deployment',
    'services.app.deploy.resources.limits.memory',
    compose({ deploy: { resources: { limits: { memory: '9999999m' } } } }),
    { memoryMb: 1_048_576 },
  ],
  ['size of a tmpfs', 'services.app.tmpfs', compose({ tmpfs: '/a:size=9999999m' }), writableOf(1_048_576)],
  ['unreadable size of a tmpfs', 'services.app.tmpfs', compose({ tmpfs: '/a:size=50%' }), writableOf(64)],
  ['absent size of a tmpfs', 'services.app.tmpfs', compose({ tmpfs: ['/a'] }), writableOf(64)],
  [
    'size of a volume in memory',
    'services.app.volumes',
    compose({ volumes: [{ type: 'tmpfs', target: '/a', tmpfs: { size: 1 } }] }),
    writableOf(1),
  ],
])('a changed limit is reported: %s (%s)', (_title, field, files, used) => {
  const [read] = importTree(createTextTree(files))
  expect(read?.challenge && firstContainer(read.challenge)).toMatchObject(used)
  const shown = /\d[\d.]*(?=\D*$)/.exec(JSON.stringify(used))?.[0]
  expect(read?.findings).toContainEqual(
    expect.objectContaining({ field, outcome: 'converted', why: expect.stringMatching(new RegExp(`\\b${shown}\\b`)) }),
  )
})

function writableOf(sizeMb: number) {
  return { writablePaths: [{ path: '/a', sizeMb }] }
}

it('a writable folder inside another writable folder is reported if its size differs', () => {
  const [read] = importTree(createTextTree(compose({ tmpfs: ['/a:size=1m', '/a/b:size=90m'] })))
  expect(read?.challenge && firstContainer(read.challenge)?.writablePaths).toEqual([{ path: '/a', sizeMb: 1 }])
  expect(read?.findings).toContainEqual(
    expect.objectContaining({ why: '`/a/b` is in the writable folder `/a` with 1 MB.', outcome: 'converted' }),
  )
})

it('limits that an instance can have are not reported', () => {
  const limits = { cpus: 0.7, mem_limit: '300m', tmpfs: '/a:size=10m' }
  for (const files of [compose(limits), hosted({ cpuCount: 7, memoryLimit: 300, storageLimit: 512 }), rcds({ cpu: '700m' })]) {
    const [read] = importTree(createTextTree(files))
    expect(read?.findings.filter(({ why }) => /An instance has|MB\.$/.test(why))).toEqual([])
  }
})
