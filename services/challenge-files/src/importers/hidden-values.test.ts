import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

type Files = Readonly<Record<string, string>>

const ctfcli = 'name: A\ncategory: web\ndescription: d\nvalue: 1\ntype: standard\nflags: [f]\n'
const event = 'title: A\ncategory: web\ndescription: d\npoints: 1\n'
const rcds = 'name: A\nflag: f\n'
const compose = 'services: { app: { image: x, ports: [80] } }\n'
const service = 'containers: { main: { image: x, ports: [80] } }\n'

function kona(more: string, top = ''): Files {
  return { 'web/a/kona.yaml': `challenges:\n  - { name: A, category: web, flags: { rctf: f }, ${more} }\n${top}` }
}

function sheet(header: string, row: string): Files {
  return { 'challenges.csv': `name,category,value,flags,${header}\nA,Web,1,f,${row}\n` }
}

it.each<readonly [string, field: string, why: RegExp, Files]>([
  [
    'a flag of an event with a file and a text',
    'flags[0].content',
    /unknown/,
    { 'web/a/chall.yaml': `${event}flags: [{ file: flag.txt, content: other }]\n` },
  ],
  [
    'an attachment of an event with an address and a file',
    'files[0].path',
    /unknown/,
    { 'web/a/chall.yaml': `${event}flag: f\nfiles: [{ url: "https://example.org/x", path: x }]\n` },
  ],
  ['a decay without a minimum', 'decay', /fixed/, { 'web/a/chall.yaml': `${event}flag: f\ndecay: 5\n` }],
  ['a minimum without a decay', 'min', /fixed/, { 'web/a/chall.yaml': `${event}flag: f\nmin: 5\n` }],
  [
    'a negative price of a hint',
    'hint[0].price',
    /costs 0/,
    { 'web/a/chall.yaml': `${event}flag: f\nhint: [{ text: h, price: -1 }]\n` },
  ],
  [
    'services next to an image',
    'services',
    /`image`/,
    { 'web/a/chall.yaml': `${event}flag: f\nimage: x\nport: 80\nservices: { db: { image: y } }\n` },
  ],
  [
    'a container that is only a word',
    'container',
    /does not describe/,
    { 'web/a/chall.yaml': `${event}flag: f\ncontainer: example/a\n` },
  ],
  ['a port without a number', 'ports[1]', /not known/, { 'web/a/chall.yaml': `${event}flag: f\nimage: x\nports: [80, web]\n` }],
  [
    'a port next to the port of a service',
    'port',
    /No container has the port 81\./,
    { 'web/a/chall.yaml': `${event}flag: f\nport: 81\nservices: { app: { image: x, port: 80 } }\n` },
  ],
  [
    'a port that a compose file does not publish',
    'ports',
    /No container has the port 81, 82\./,
    { 'web/a/chall.yaml': `${event}flag: f\nports: [80, 81, 82]\n`, 'web/a/compose.yaml': compose },
  ],
  ['a port without a service', 'port', /No container has the port 81\./, { 'web/a/chall.yaml': `${event}flag: f\nport: 81\n` }],
  [
    'connection info next to a description in a file',
    'endpoint',
    /not changed/,
    {
      'misc/a/chall.yaml': 'title: A\ncategory: misc\npoints: 1\nflag: f\nendpoint: nc host 1\n',
      'misc/a/description.md': 'Text.',
    },
  ],
  [
    'connection info of an event with a container',
    'endpoint',
    /next to the description/,
    { 'web/a/chall.yaml': `${event}flag: f\nimage: x\nport: 80\nendpoint: nc host 1\n` },
  ],
  [
    'the text of a README',
    'description',
    /without headings/,
    {
      'web/a/config.toml': '[settings]\ndeploy = true\n[ctfd]\npoints = 4\n',
      'web/a/README.md': '# A\n\nText.\n\n## More\n\n## Solution\n',
      'web/a/flag.txt': 'f',
    },
  ],
  [
    'several ports of a Dockerfile',
    'image',
    /several ports, so 80 is used/,
    { 'web/a/challenge.yml': `${ctfcli}image: .\n`, 'web/a/Dockerfile': 'FROM x\nEXPOSE 80 81\n' },
  ],
  [
    'an invalid port of a ctfcli container',
    'containers.app.ports[1]',
    /from 1 to 65535/,
    { 'web/a/challenge.yml': `${ctfcli}containers: { app: { build: ., ports: [80, 70000] } }\n`, 'web/a/Dockerfile': 'FROM x\n' },
  ],
  [
    'a container next to an image',
    'container',
    /`image`/,
    { 'web/a/challenge.yml': `${ctfcli}image: example/a\ncontainer: { containerImage: b, containerExposePort: 80 }\n` },
  ],
  [
    'an rcds attachment with an address and a file',
    'provide[0].file',
    /unknown/,
    { 'web/a/challenge.yaml': `${rcds}provide: [{ url: "https://example.org/x", file: x }]\n` },
  ],
  [
    'a second health path',
    'expose.main[1].healthPath',
    /one path/,
    {
      'web/a/challenge.yaml': `${rcds}${service}expose: { main: [{ target: 80, http: a, healthPath: /a }, { target: 81, http: b, healthPath: /b }] }\n`,
    },
  ],
  [
    'a port that an rcds container lists as text',
    'containers.main.ports',
    /not exposed/,
    { 'web/a/challenge.yaml': `${rcds}${service.replace('[80]', '[80, 81/tcp]')}expose: { main: [{ target: 80, tcp: 1 }] }\n` },
  ],
  [
    'a second text of a flag provider',
    'challenges[0].flags.rctf[0].config.value',
    /unknown/,
    kona('flags: { rctf: [{ provider: x/static, config: { base: f, value: g } }] }'),
  ],
  [
    'a second image with the same name',
    'deployment.images[1]',
    /Another image/,
    kona('', 'deployment: { images: [{ name: x, path: . }, { name: x, path: b }] }\n'),
  ],
  [
    'an invalid exposed port',
    'challenges[0].instancerConfig.expose[0]',
    /from 1 to 65535/,
    kona('instancerConfig: { config: { services: { app: { image: x } } }, expose: [{ containerPort: 70000 }] }'),
  ],
  [
    'a port that is listed twice as an endpoint',
    'challenges[0].endpoints[1]',
    /listed twice/,
    kona('endpoints: [{ port: 80 }, { port: 80 }]', 'deployment: { images: [{ path: . }] }\n'),
  ],
  [
    'an object next to a klodd challenge',
    'kind',
    /`Secret`/,
    {
      'web/a/challenge.yaml':
        'apiVersion: klodd.tjcsec.club/v1\nkind: Challenge\nspec: { name: A, pods: [] }\n---\napiVersion: v1\nkind: Secret\n',
    },
  ],
  [
    'a second document of kCTF metadata',
    '',
    /first document/,
    {
      'web/a/challenge.yaml': 'apiVersion: kctf.dev/v1\nkind: Challenge\nspec: { image: x }\n',
      'web/a/metadata.yaml': 'name: A\nflag: f\n---\nname: B\n',
    },
  ],
  ['a second document of a compose file', '', /first document/, { 'web/a/compose.yaml': `${compose}---\n${compose}` }],
  [
    'a second compose file without a descriptor',
    '',
    /`docker-compose.yml`/,
    { 'web/a/compose.yaml': compose, 'web/a/docker-compose.yml': compose },
  ],
  [
    'a second compose file of a descriptor',
    '',
    /`web\/a\/compose.yaml`/,
    { 'web/a/challenge.yml': ctfcli, 'web/a/compose.yaml': compose, 'web/a/b/compose.yaml': compose },
  ],
  [
    'a second Dockerfile of a descriptor',
    '',
    /`web\/a\/Dockerfile`/,
    { 'web/a/challenge.yml': ctfcli, 'web/a/Dockerfile': 'FROM x\nEXPOSE 80\n', 'web/a/b/Dockerfile': 'FROM x\n' },
  ],
  [
    'a dependency on a service that is not imported',
    'services.app',
    /`db`/,
    { 'web/a/compose.yaml': 'services: { app: { image: x, ports: [80], depends_on: [db] } }\n' },
  ],
  ['requirements of a sheet that are not JSON', 'requirements', /JSON/, sheet('state,requirements', 'visible,1')],
  ['a column with a name that occurs twice', 'description', /last one/, sheet('description,description', 'a,b')],
])('the import reports %s', (_title, field, why, files) => {
  const findings = importTree(createTextTree(files)).flatMap((each) => each.findings)
  expect(findings).toContainEqual(expect.objectContaining({ field, why: expect.stringMatching(why) }))
})

it.each([
  ['is reported if two challenges with its title are equally near', '2025/c', ['unlock.after']],
  ['is not reported if only one challenge with its title is nearest', '2024/c', []],
])('a prerequisite %s', (_title, folder, fields) => {
  const imported = importTree(
    createTextTree({
      '2024/a/challenge.yml': ctfcli,
      '2023/b/challenge.yml': ctfcli,
      [`${folder}/challenge.yml`]: `${ctfcli.replace('name: A', 'name: C')}requirements: [A]\n`,
    }),
  )
  const last = imported.find(({ file }) => file === `${folder}/challenge.yml`)
  expect(last?.findings.filter(({ field }) => field === 'unlock.after').map(({ field }) => field)).toEqual(fields)
})
