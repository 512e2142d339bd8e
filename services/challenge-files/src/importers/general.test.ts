import { describe, expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree, listUnreadDescriptors } from './import.ts'

function read(files: Readonly<Record<string, string>>) {
  return importTree(createTextTree(files))
}

describe('the import of formats that only one event uses', () => {
  it('reads chall.toml with tables', () => {
    const text = `[challenge]
name = "Ledger"
category = "crypto"
description = "Sum it."
author = "ada"
points = 250
[[flags]]
flag = "flag{ledger}"
[[services]]
build = "."
port = 7000
`
    const [only] = read({ 'crypto/ledger/chall.toml': text, 'crypto/ledger/Dockerfile': 'FROM x\n' })
    expect(only).toMatchObject({
      dialect: 'other',
      challenge: {
        title: 'Ledger',
        category: 'Crypto',
        authors: ['ada'],
        enabled: true,
        score: { points: 250, minimumShare: 1 },
        flags: [{ text: 'flag{ledger}' }],
        container: { build: { context: '.' }, ports: [{ port: 7000, speaks: 'tcp' }] },
      },
    })
  })

  it('reads challenge.json with a curve, files and a compose file', () => {
    const text = JSON.stringify({
      title: 'Gate',
      category: ['web', 'misc'],
      description: 'Open it.',
      flags: ['flag{gate}'],
      scoring: { initial: 500, minimum: 100, decay: 20, type: 'dynamic' },
      files: [{ src: 'gate.py', dest: 'source.py' }, 'https://files.example.org/x'],
    }).replaceAll(',', ',\t')
    const compose = 'services: { gate: { build: ., ports: ["80:3000"] } }\n'
    const [only] = read({
      'web/gate/challenge.json': text,
      'web/gate/gate.py': '',
      'web/gate/compose.yaml': compose,
      'web/gate/Dockerfile': 'FROM x\n',
    })
    expect(only?.challenge).toMatchObject({
      title: 'Gate',
      category: 'Web',
      tags: ['misc'],
      score: { points: 500, minimumShare: 0.2, difficulty: 20, curve: 'parabola' },
      attachments: [{ file: 'gate.py', as: 'source.py' }],
      description: 'Open it.\n\n<https://files.example.org/x>',
      container: { build: { context: '.' }, ports: [{ port: 3000, speaks: 'http' }] },
    })
  })

  it('reads chall.yaml with several services and files of a built image', () => {
    const text = `name: Tower
categories: [pwn]
value: 150
flag: { file: flag.txt }
description: Climb.
deploy:
  db: { build: db }
  tower: { build: ., expose: 4000/tcp }
files: [{ src: /tower.bin, container: tower }, { src: ./tower.c }]
hints: [{ text: Up, cost: 5 }]
authors: [bob]
visible: true
`
    const [only] = read({
      'pwn/tower/chall.yaml': text,
      'pwn/tower/flag.txt': 'flag{t}',
      'pwn/tower/tower.c': '',
      'pwn/tower/Dockerfile': 'FROM x\n',
    })
    expect(only?.challenge).toMatchObject({
      flags: [{ file: 'flag.txt' }],
      hints: [{ text: 'Up', price: 5 }],
      attachments: [{ file: 'tower.c' }],
      container: { build: { context: '.' }, ports: [{ port: 4000, speaks: 'tcp' }] },
    })
    expect(only?.findings.map(({ field }) => field)).toEqual(expect.arrayContaining(['deploy.db', 'files[0].container']))
  })

  it('reads a metadata file, and the description and the flag in the same folder', () => {
    const files = {
      'web/kite/metadata.json': '{ "identifier": "kite", "name": "Kite", "category": "web", "flag": ["flag{k}"], "version": 3 }',
      'web/kite/Description.md': 'Fly.',
      'pwn/oar/metadata.yml': 'name: Oar\ncategory: pwn\nport: 1337\nprotocol: tcp\nvalue: 50\n',
      'pwn/oar/flag.txt': 'flag{o}',
      'pwn/oar/src/Dockerfile': 'FROM x\n',
    }
    const [oar, kite] = read(files)
    expect(kite?.challenge).toMatchObject({
      title: 'Kite',
      description: { file: 'Description.md' },
      flags: [{ text: 'flag{k}' }],
    })
    expect(oar?.challenge).toMatchObject({
      flags: [{ file: 'flag.txt' }],
      score: { points: 50 },
      container: { build: { context: 'src' }, ports: [{ port: 1337, speaks: 'tcp' }] },
    })
  })

  it('reads config.toml with the introduction of a README, but not its solution', () => {
    const text =
      '[settings]\ndeploy = true\ncontainers = true\n[ctfd]\npoints = 400\n[services.web]\nport = 8000\ntype = "site"\n'
    const [only] = read({
      'web/mask/config.toml': text,
      'web/mask/README.md': '# Mask\n\nAuthor: `eve`\n\nWho is it?\n\n## Solution\n\nThe flag is flag{m}.\n',
      'web/mask/flag.txt': 'flag{m}',
      'web/mask/Dockerfile': 'FROM x\n',
      'rev/oven/.cargo/config.toml': '[build]\ntarget = "x"\n',
    })
    expect(only?.challenge).toMatchObject({
      title: 'Mask',
      category: 'Web',
      description: 'Who is it?',
      score: { points: 400 },
      container: { ports: [{ port: 8000, speaks: 'http' }] },
    })
  })

  it('reads a file without a title, with the title and the text of a README', () => {
    const text = "enabled: true\nauthor: ivy\ncategories:\n- web\n- stars\npoints: 150\nflag: 'flag{n}'\n"
    const files = { 'web/07-nest/chal.yml': text, 'web/07-nest/README.md': 'Nest\n===\n\nBuild it.\n\n## Flag\n\nflag{n}\n' }
    const [only] = read(files)
    expect(only?.challenge).toMatchObject({
      ...{ name: '07-nest', title: 'Nest', category: 'Web', tags: ['stars'], authors: ['ivy'] },
      ...{ description: 'Build it.', score: { points: 150 }, flags: [{ text: 'flag{n}' }], enabled: true },
    })
    const [alone] = read({ 'web/07-nest/chal.yml': text })
    expect(alone?.challenge).toMatchObject({ title: '07-nest', description: '' })
  })

  it.each([
    ['meta', '[meta]\nname = "Fern"\ncategory = "web"\nflag = "flag{f}"\n[[hints]]\ncontent = "h"\n', { hints: [{ text: 'h' }] }],
    [
      '7d0f-id',
      '[7d0f-id]\nname = "Fern"\ndifficulty = "easy"\nflag = {"flag{f}" = 250}\n',
      { score: { points: 250, minimumShare: 1 } },
    ],
  ])('reads the table %s of challenge.toml', (_, text, more) => {
    const [only] = read({ 'web/fern/challenge.toml': text, 'web/fern/Handout/a.txt': '' })
    expect(only?.challenge).toMatchObject({
      ...{ title: 'Fern', category: 'Web', flags: [{ text: 'flag{f}' }], attachments: [{ file: 'Handout' }] },
      ...more,
    })
  })

  it('reads a mapping of several flags to their points', () => {
    const text = '{ "name": "Fern", "category": "web", "flags": { "flag{a}": 100, "flag{b}": 50 } }'
    const [only] = read({ 'web/fern/challenge.json': text })
    expect(only?.challenge).toMatchObject({
      score: { points: 150 },
      flags: [
        { text: 'flag{a}', points: 100 },
        { text: 'flag{b}', points: 50 },
      ],
    })
  })

  it('replaces the address in a connection text, and reports it once', () => {
    const text = '{ "name": "Fern", "category": "web", "flag": "f", "url": ["nc {{IP}} {{PORT}}"] }'
    const [only] = read({ 'web/fern/challenge.json': text, 'web/fern/Dockerfile': 'FROM x\n' })
    expect(only?.challenge?.container?.ports).toEqual([{ port: 80, speaks: 'tcp' }])
    expect(only?.findings.filter(({ field }) => field === 'url')).toHaveLength(1)
  })

  it('reports a curve of points that is not a table', () => {
    const text = '{ "name": "Fern", "category": "web", "flag": "f", "points": 100, "dynamic": true }'
    const [only] = read({ 'web/fern/challenge.json': text })
    expect(only?.challenge).toMatchObject({ title: 'Fern', score: { points: 100 } })
    expect(only?.findings.filter(({ field }) => field === 'dynamic')).toHaveLength(1)
  })

  it('merges meta.yaml with the deployment of kCTF next to it', () => {
    const [only, ...others] = read({
      'pwn/yard/meta.yaml': 'name: Yard\nauthor: max\nflag: flag{y}\ndescription: Dig.\npublic: false\n',
      'pwn/yard/challenge.yaml':
        'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: yard }\nspec: { image: example/yard }\n',
    })
    expect(others).toEqual([])
    expect(only?.challenge).toMatchObject({ title: 'Yard', enabled: false, container: { image: 'example/yard' } })
  })

  it('reads chal.json, and attaches the folder for players', () => {
    const text =
      '{ "name": "Fox", "description": "Run.", "difficulty": "easy", "flag": "flag{f}", "ports": [6789], "author": "z" }'
    const [only] = read({ 'web/fox/chal.json': text, 'web/fox/dist/a.zip': '', 'web/fox/src/Dockerfile': 'FROM x\n' })
    expect(only?.challenge).toMatchObject({
      category: 'Web',
      difficulty: 'easy',
      attachments: [{ file: 'dist' }],
      container: { build: { context: 'src' }, ports: [{ port: 6789 }] },
    })
  })
})

it('descriptors of ctfcli are imported with any file name', () => {
  const text = 'name: Part\ncategory: web\ndescription: d\nvalue: 10\ntype: standard\nflags: [f]\n'
  const all = read({
    'web/a/challenge.yml': text,
    'web/a/challenge-7.yml': text.replace('Part', 'Next'),
    'web/a/more.yaml': text,
  })
  expect(all.map(({ dialect, challenge }) => [dialect, challenge?.title])).toEqual([
    ['ctfcli', 'Next'],
    ['ctfcli', 'Part'],
    ['ctfcli', 'Part'],
  ])
})

it('a file with the name of a descriptor but no known format is reported', () => {
  const tree = createTextTree({
    'a/challenge.yaml': 'hello: world\n',
    'a/meta.yaml': 'x: 1\n',
    'b/challenge.yaml': 'name: b\nflag: c\n',
  })
  expect(listUnreadDescriptors(tree, importTree(tree))).toEqual(['a/challenge.yaml'])
})
