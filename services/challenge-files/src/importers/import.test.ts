import { describe, expect, it } from 'vitest'
import { readChallenge } from '../format/read.ts'
import { formatChallengeFile } from '../format/write.ts'
import { formatFinding } from '../report.ts'
import { ctfcliText, kctfText, rcdsText } from '../testing/examples-of-others.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'
import { chooseChallengePaths, type Placed } from './place.ts'

const files = {
  'crypto/guess/challenge.yaml': rcdsText,
  'crypto/guess/server.py': '',
  'crypto/guess/Dockerfile': 'FROM scratch\n',
  'misc/prison/challenge.yml': ctfcliText,
  'misc/prison/Dockerfile': 'FROM x\nEXPOSE 9999\n',
  'misc/prison/dist/a.txt': '',
  'v8box/challenge.yaml': kctfText,
  'v8box/metadata.yaml': 'name: v8box\ncategory: sandbox\ndescription: Escape!\nflag: CTF{x}\nvisible: true\n',
  'v8box/challenge/Dockerfile': 'FROM x\n',
  'v8box/attachments/v8.patch': '',
  'other/challenge.yaml': 'hello: world\n',
}

const imported = importTree(createTextTree(files))
function of(file: string) {
  const found = imported.find((each) => each.file === file)
  if (found === undefined) throw new Error(`${file} was not imported`)
  return found
}

describe('the import from other platforms', () => {
  it('reads a challenge of rcds', () => {
    expect(of('crypto/guess/challenge.yaml').challenge).toEqual({
      apiVersion: 'capstan/v1',
      kind: 'Challenge',
      name: 'guess',
      title: 'Guess the bit!',
      category: 'Crypto',
      authors: ['alice', 'bob'],
      enabled: true,
      description: 'Is it one or zero?\n\n`nc [address of your instance]` and Admin Bot',
      score: { points: 400, minimumShare: 0.25, curve: 'rctf' },
      flags: [{ text: 'ctf{0_or_1}' }],
      attachments: [{ file: 'server.py' }, { file: 'dist.tar.gz', as: 'handout.tar.gz' }],
      container: {
        build: { context: '.' },
        ports: [{ port: 5000, speaks: 'tcp' }],
        environment: { FLAG: 'ctf{0_or_1}', MODE: 'yes' },
        cpu: 0.2,
        memoryMb: 96,
      },
    })
  })

  it('imports a challenge in the root folder as Misc, because there is no folder whose name gives the category', () => {
    const [top] = importTree(createTextTree({ 'guess/challenge.yaml': rcdsText }))
    expect(top?.challenge).toMatchObject({ category: 'Misc' })
    expect(top?.challenge).not.toHaveProperty('tags')
    expect(top?.findings.map(({ why }) => why)).toContain('The file names no category, so Misc is used.')
  })

  it('reports each dropped field with its line', () => {
    expect(of('crypto/guess/challenge.yaml').findings.map(formatFinding)).toEqual(
      expect.arrayContaining([
        'crypto/guess/challenge.yaml:22: left-out: containers.db: Each team gets one container per challenge, so this one is not started. Put what the challenge needs into one image.',
        'crypto/guess/challenge.yaml:17: left-out: containers.main.replicas: Each team starts its own instance.',
        'crypto/guess/challenge.yaml:27: left-out: expose.main[0].tcp: The platform chooses the public port.',
        'crypto/guess/challenge.yaml:13: left-out: sortWeight: Players choose the order.',
        'crypto/guess/challenge.yaml:10: converted: provide[1].file: `./dist.tar.gz`: The file is not in this folder. Build or add it before you apply the challenge.',
        'crypto/guess/challenge.yaml:28: left-out: oddity: This field is unknown. If you need it, set its counterpart in `capstan.yaml`.',
      ]),
    )
  })

  it('reads a challenge of ctfcli with its curve', () => {
    const { challenge, findings } = of('misc/prison/challenge.yml')
    expect(challenge).toMatchObject({
      name: 'prison-break',
      category: 'Misc',
      enabled: true,
      tags: ['easy'],
      difficulty: 'beginner',
      flags: [{ text: 'csictf{one}' }, { text: 'CSICTF{Two}', ignoreCase: true }, { pattern: 'csictf\\{\\d+\\}' }],
      hints: [{ text: 'look up' }, { text: 'look down', price: 50 }],
      attachments: [{ file: 'dist/a.txt' }],
      container: { build: { context: '.' }, ports: [{ port: 9999, speaks: 'http' }] },
      score: { points: 500, minimumShare: 0.2, difficulty: 100, curve: 'parabola' },
      attempts: { limit: 5 },
    })
    expect(findings.map(({ field }) => field).sort()).toEqual(['container', 'difficulty', 'topics', 'version'])
  })

  it('finds the prerequisites of a ctfcli challenge by their titles', () => {
    const text = (name: string, more: string) => `name: ${name}\ncategory: web\nvalue: 100\nflags: [f]\n${more}\n`
    const read = importTree(
      createTextTree({
        'a/challenge.yml': text('First Step', ''),
        'b/challenge.yml': text('Second', 'requirements: [First Step]'),
        'c/challenge.yml': text('Third', 'requirements: { prerequisites: [First Step, Second], anonymize: true }'),
        'd/challenge.yml': text('Fourth', 'requirements: [7]'),
      }),
    )
    const notes = read.map(({ findings }) =>
      findings.filter(({ field }) => field === 'requirements').map(({ outcome }) => outcome),
    )
    expect(read.map(({ challenge }) => challenge?.unlock)).toEqual([
      undefined,
      { after: ['first-step'], locked: 'Hidden' },
      { after: ['first-step', 'second'], locked: 'Hidden' },
      undefined,
    ])
    expect(notes).toEqual([[], [], ['converted'], ['left-out']])
  })

  it('reads a challenge of kCTF with its metadata', () => {
    const { challenge, findings } = of('v8box/challenge.yaml')
    expect(challenge).toMatchObject({
      name: 'sandbox-v8box',
      title: 'v8box',
      category: 'Misc',
      tags: ['sandbox'],
      enabled: true,
      description: 'Escape!',
      flags: [{ text: 'CTF{x}' }],
      attachments: [{ file: 'attachments/v8.patch' }],
      container: {
        build: { context: 'challenge' },
        ports: [{ port: 1337, speaks: 'http' }],
        environment: { A: '1' },
        cpu: 1,
        memoryMb: 2048,
      },
    })
    expect(findings.map(({ why }) => why)).toContain('The object `Secret` next to the challenge is not created.')
  })

  it('ignores files that are not descriptors', () => {
    expect(imported.map(({ file }) => file)).not.toContain('other/challenge.yaml')
  })

  it.each(['crypto/guess/challenge.yaml', 'misc/prison/challenge.yml', 'v8box/challenge.yaml'])(
    'converts the descriptor %s to a file that is read as the same challenge',
    (file) => {
      const [{ target, challenge }] = chooseChallengePaths(createTextTree(files), [of(file)]) as [Placed]
      const all = { ...files, 'crypto/guess/dist.tar.gz': '', [target]: formatChallengeFile(challenge, ' Imported') }
      expect(readChallenge(createTextTree(all), target)).toEqual({ file: target, challenge, findings: [] })
    },
  )

  it('refuses a descriptor with broken YAML', () => {
    const [only] = importTree(createTextTree({ 'web/a/challenge.yaml': 'name: "a\nflag: b\n' }))
    expect(only?.challenge).toBeUndefined()
    expect(only?.findings.map((finding) => finding.why).join(' ')).toContain('Missing closing "quote')
  })

  it.each([
    ['no flag', 'name: a\ndescription: b\n', 'The file has no flag, so the challenge cannot be solved yet.'],
    ['an empty flag', 'name: a\nflag: ""\n', 'The flag is empty.'],
    ['a flag that is too long', `name: a\nflag: ${'x'.repeat(128)}\nvisible: true\n`, 'The flag is longer than 127 characters.'],
  ])('imports a challenge as disabled if it has %s', (_, text, why) => {
    const [only] = importTree(createTextTree({ 'web/a/challenge.yaml': text }))
    expect(only?.challenge).toMatchObject({ flags: [] })
    expect(only?.challenge?.enabled).not.toBe(true)
    expect(only?.findings.map((finding) => finding.why)).toContain(why)
  })

  it('shortens long tags, and reports surplus tags and unknown difficulties', () => {
    const tags = ['x'.repeat(31), ...Array.from({ length: 10 }, (_, index) => `tag ${index}`)]
    const text = `name: a\nflag: b\ndifficulty: 7/10\ntags: ${JSON.stringify(tags)}\n`
    const [only] = importTree(createTextTree({ 'web/a/challenge.yaml': text }))
    expect(only?.challenge?.tags).toEqual(['x'.repeat(30), ...tags.slice(1, 10)])
    expect(only?.challenge).not.toHaveProperty('difficulty')
    expect(only?.findings.map(formatFinding)).toEqual(
      expect.arrayContaining([
        'web/a/challenge.yaml:4: converted: tags: Tags longer than 30 characters are cut (affected: 1).',
        'web/a/challenge.yaml:4: left-out: tags: At most 10 tags are imported. Left out: tag 9.',
        'web/a/challenge.yaml:3: left-out: difficulty: This difficulty is unknown. The choices are beginner, easy, medium, hard, insane. Choose one.',
      ]),
    )
  })

  it('merges two descriptors of a folder if one of them describes only how the challenge runs', () => {
    const text = 'name: Neigh\ncategory: pwn\nvalue: 100\nflags: ["ctf{neigh}"]\n'
    const run =
      'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: neigh }\nspec:\n  image: registry.test/neigh\n  podTemplate:\n    template: { spec: { containers: [{ name: c, env: [{ name: SECRET, value: "ctf{neigh}" }] }] } }\n'
    const all = importTree(createTextTree({ 'pwn/neigh/challenge.yml': text, 'pwn/neigh/challenge.yaml': run }))
    expect(all).toMatchObject([
      {
        dialect: 'ctfcli',
        file: 'pwn/neigh/challenge.yml',
        deployment: { dialect: 'kctf', file: 'pwn/neigh/challenge.yaml' },
        challenge: {
          title: 'Neigh',
          flags: [{ text: 'ctf{neigh}' }],
          container: { image: 'registry.test/neigh', ports: [{ port: 1337 }], environment: { SECRET: 'ctf{neigh}' } },
        },
      },
    ])
    const reasons = all.flatMap(({ findings }) => findings.map(({ why }) => why)).join(' ')
    expect(reasons).not.toContain('The file has no flag')
    const [alone] = importTree(createTextTree({ 'pwn/neigh/challenge.yaml': run }))
    expect(alone?.findings.map(({ why }) => why)).toContain('The file has no flag, so the challenge cannot be solved yet.')
  })

  it('applies the defaults of an rcds project file to its challenges', () => {
    const project =
      'defaults: { containers: { resources: { limits: { cpu: 100m, memory: 150Mi } } } }\nbackends:\n  - { resolve: rctf, options: { scoring: { minPoints: 100, maxPoints: 500 } } }\n'
    const text =
      'name: A\nflag: ctf{a}\ncontainers: { main: { image: a, ports: [80], resources: { limits: { cpu: 300m } } } }\nexpose: { main: [{ target: 80, http: a, healthPath: /up }] }\n'
    const [only] = importTree(createTextTree({ 'rcds.yaml': project, 'web/a/challenge.yaml': text }))
    expect(only?.challenge).toMatchObject({
      score: { points: 500, minimumShare: 0.2, curve: 'rctf' },
      container: { cpu: 0.3, memoryMb: 150, readiness: { path: '/up' } },
    })
  })

  it('fills in templates like the original tools and reports unknown placeholders', () => {
    const description =
      'By {{ challenge.author }}: nc {{ host }} {{ port }}, $' +
      '{nc_main_0}, [page]({{ link }}){# later #}, {% raw %}{{ 7*7 }}{% endraw %}, {{ foo }}'
    const [only] = importTree(
      createTextTree({ 'web/a/challenge.yaml': `name: A\nauthor: bob\nflag: b\ndescription: ${JSON.stringify(description)}\n` }),
    )
    const address = '[address of your instance]'
    expect(only?.challenge?.description).toBe(`By bob: nc ${address}, nc ${address}, page, {{ 7*7 }}, {{ foo }}`)
    expect(only?.findings.map(({ why }) => why)).toContain('`{{ foo }}` is unknown and is not replaced.')
  })

  it('refuses a file that resolves too many YAML aliases', () => {
    const levels = Array.from(
      { length: 9 },
      (_, index) => `l${index + 1}: &l${index + 1} [${Array(10).fill(`*l${index}`).join(', ')}]`,
    )
    const [bomb] = importTree(
      createTextTree({ 'web/a/challenge.yaml': ['name: a', 'flag: b', 'l0: &l0 [x]', ...levels].join('\n') }),
    )
    expect(bomb?.findings.map(({ outcome }) => outcome)).toEqual(['refused'])
  })

  it('leaves out and reports files outside the imported folder', () => {
    const [only] = importTree(
      createTextTree({ 'a/challenge.yaml': 'name: a\nflag: b\nprovide: [../../etc/passwd, /etc/passwd]\n' }),
    )
    expect(only?.challenge?.attachments).toBeUndefined()
    expect(only?.findings.filter(({ field }) => field === 'provide').map(({ why }) => why)).toEqual([
      '`../../etc/passwd` is outside of the imported folder.',
      '`/etc/passwd` is outside of the imported folder.',
    ])
  })

  it('renames a challenge if its name is already used', () => {
    const text = 'name: same\nflag: b\n'
    const names = importTree(createTextTree({ 'web/a/challenge.yaml': text, 'pwn/a/challenge.yaml': text })).map(
      ({ challenge }) => challenge?.name,
    )
    expect(names).toEqual(['a-pwn', 'a-web'])
  })

  it('reads rcds and Konata in TOML and reports the lines of dropped fields', () => {
    const rcdsToml = `name = "lis"
author = "Larry"
description = """
At {{main.url}}
  [not a table]
"""
value = 300
[flag]
file = "flag.txt"
[containers.main]
build = "."
limits = { cpu = 1, disk = 9 }
[expose.main]
tcp = 1410
target = 5000
`
    const konaToml = `[[challenges]]
category = "rev"
name = "one"
flags.rctf = "SEKAI{1}"
scoring.initial_value = 400
release_time = 2026-06-28T20:00:00Z
[[challenges]]
category = "rev"
name = "two"
flags.rctf = "SEKAI{2}"
oddity = true
`
    const all = importTree(
      createTextTree({
        'algo/lis/challenge.toml': rcdsToml,
        'algo/lis/flag.txt': 'a',
        'rev/kona.toml': konaToml,
        'web/a/challenge.toml': '=',
      }),
    )
    expect(all.map(({ challenge }) => challenge?.title)).toEqual(['lis', 'one', 'two', undefined])
    expect(all[0]?.challenge).toMatchObject({ flags: [{ file: 'flag.txt' }], container: { cpu: 1, ports: [{ port: 5000 }] } })
    expect(all[0]?.findings).toContainEqual(expect.objectContaining({ field: 'containers.main.limits.disk', line: 12 }))
    expect(all[2]?.findings).toContainEqual(expect.objectContaining({ field: 'challenges[1].oddity', line: 11 }))
    expect(all[1]?.challenge?.release).toBe('2026-06-28T20:00:00.000Z')
    expect(all[3]?.findings).toMatchObject([{ outcome: 'refused', line: 1 }])
  })

  it('does not give players the files that a descriptor excludes', () => {
    const kona = (exclude: string) =>
      `challenges:\n  - {name: A, category: pwn, flags: {rctf: 'a{b}'}, attachments: {files: [src/, run.sh], exclude: ${exclude}}}\n`
    const tree = { 'a/src/app.py': '', 'a/src/flag.txt': '', 'a/src/keys/one': '', 'a/run.sh': '' }
    const filesOf = (exclude: string) =>
      importTree(createTextTree({ ...tree, 'a/kona.yaml': kona(exclude) }))[0]?.challenge?.attachments
    expect(filesOf('[]')).toEqual([{ file: 'src' }, { file: 'run.sh' }])
    expect(filesOf('[src/flag.txt]')).toEqual([{ file: 'src/app.py' }, { file: 'src/keys/one' }, { file: 'run.sh' }])
    expect(filesOf('[flag.txt, src/keys/]')).toEqual([{ file: 'src/app.py' }, { file: 'run.sh' }])
    expect(filesOf("['src/keys/*', flag.txt, other]")).toEqual([{ file: 'src/app.py' }, { file: 'run.sh' }])
    const above = kona('[flag.txt]').replace('src/, run.sh', '../src, ./keys/..')
    expect(
      importTree(
        createTextTree({ 'a/src/app.py': '', 'a/src/flag.txt': '', 'a/b/c.txt': '', 'a/b/keys/x': '', 'a/b/kona.yaml': above }),
      )[0]?.challenge?.attachments,
    ).toEqual([{ file: '../src/app.py' }, { file: 'c.txt' }, { file: 'keys/x' }, { file: 'kona.yaml' }])
    expect(filesOf("['src/*.txt']")).toEqual([{ file: 'run.sh' }])
  })

  it('imports a challenge even if some of its scoring values are not numbers, and reports these values', () => {
    const text =
      'name: A\ncategory: web\nflags: ["a{b}"]\ntype: dynamic\nvalue: 500\nextra: {initial: 500, decay: "$DECAY", minimum: 50}\n'
    const [only] = importTree(createTextTree({ 'web/a/challenge.yml': text }))
    expect(only?.challenge?.score).toEqual({ points: 500, minimumShare: 1 })
    expect(only?.findings.map(({ field, outcome }) => [field, outcome])).toEqual(
      expect.arrayContaining([
        ['extra.decay', 'left-out'],
        ['extra.minimum', 'left-out'],
      ]),
    )
  })

  it('reads Docker settings of Konata, with a separate flag for each team', () => {
    const text = `challenges:
  - category: pwn
    name: intact
    flags:
      rctf:
        - {provider: flags/dynamic, config: {base: 'ctf{a_b}', mode: tail}}
    instancerConfig:
      instancer: docker
      config:
        services:
          db: {image: postgres}
          app:
            image: example/intact:1
            environment: {PORT: '8000', RCTF_FLAG: '\${RCTF_FLAG}'}
            read_only: true
            mem_limit: 128m
            cpus: 0.5
            pids_limit: 50
            cap_add: [CHOWN]
            tmpfs: {/tmp: size=16m}
        networks: {egress: {internal: false}}
      expose:
        - {kind: tcp-ssl, hostPrefix: intact, containerName: app, containerPort: 8583}
`
    const [only] = importTree(createTextTree({ 'pwn/intact/kona.yaml': text }))
    expect(only?.challenge).toMatchObject({
      flags: [{ template: 'ctf{a_b_[TEAM_HASH]}' }],
      container: {
        image: 'example/intact:1',
        environment: { PORT: '8000' },
        flag: { environment: 'RCTF_FLAG' },
        readOnlyRoot: true,
        memoryMb: 128,
        cpu: 0.5,
        ports: [{ port: 8583, speaks: 'tcp' }],
      },
    })
    const nothingRuns = text.replace('image: example/intact:1', '')
    expect(importTree(createTextTree({ 'pwn/intact/kona.yaml': nothingRuns }))[0]?.challenge?.flags).toEqual([
      { text: 'ctf{a_b}' },
    ])
    const fields = only?.findings.map(({ field }) => field.replace('challenges[0].instancerConfig.config.', ''))
    expect(fields).toEqual(
      expect.arrayContaining([
        'services.db',
        'services.app.tmpfs',
        'services.app.cap_add',
        'services.app.pids_limit',
        'networks',
      ]),
    )
  })
})
