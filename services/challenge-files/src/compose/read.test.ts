// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts have variables of compose files
import { expect, it, test } from 'vitest'
import { importTree } from '../importers/import.ts'
import { createTextTree } from '../testing/text-tree.ts'

function read(compose: string, others: Readonly<Record<string, string>> = {}) {
  const files = { 'web/shop/compose.yaml': compose, ...others }
  const [only] = importTree(createTextTree(files), { memoryMb: 256, cpu: 0.5 })
  return {
    ...only,
    fields: only?.findings.filter(({ outcome }) => outcome !== 'converted').map(({ line, field }) => `${line} ${field}`),
  }
}

const noFlag = '1 flags'
const limits = { memoryMb: 256, cpu: 0.5 }

test('a compose file without a descriptor becomes a disabled challenge with the name of its folder', () => {
  const { challenge, dialect, fields } = read('services: { app: { image: example/shop, ports: ["8080:80"] } }\n')
  expect(dialect).toBe('compose')
  expect(challenge).toMatchObject({ name: 'shop', category: 'Web', enabled: false, flags: [] })
  expect(challenge?.container).toEqual({ image: 'example/shop', ports: [{ port: 80, speaks: 'http' }], ...limits })
  expect(fields).toEqual([noFlag])
})

test('a flag in the variables of a service becomes the flag of the challenge', () => {
  const { challenge } = read(
    'services: { app: { image: a, ports: [80], environment: { FLAG: "ctf{shop}", MODE: no, LEVEL: 007, EMPTY: "" } } }\n',
  )
  expect(challenge).toMatchObject({ enabled: true, flags: [{ text: 'ctf{shop}' }] })
  expect(challenge?.container?.environment).toEqual({ FLAG: 'ctf{shop}', MODE: 'no', LEVEL: '007', EMPTY: '' })
})

test('the names, networks, order and limits of several services are imported', () => {
  const { challenge, fields } = read(
    `services:
  db:
    image: mariadb
    environment: [MARIADB_ROOT_PASSWORD=x]
    networks: { back: { aliases: [database] } }
    healthcheck: { test: ["CMD", "mysqladmin", "ping"] }
    volumes: ["data:/var/lib/mysql"]
  page:
    build: .
    ports: ["\${PORT:-8000}:5000", "9001:9001"]
    depends_on: { db: { condition: service_healthy }, bot: { condition: service_started } }
    networks: [front, back]
    entrypoint: python -m "my app"
    command: ["--port", "5000"]
    user: "1000:1000"
    read_only: true
    tmpfs: ["/tmp:size=16m"]
    deploy: { resources: { limits: { cpus: "0.25", memory: 128M } } }
  bot:
    image: example/bot
    networks: [front]
networks: { front: {}, back: { internal: true } }
volumes: { data: {} }
`,
    { 'web/shop/Dockerfile': 'FROM x\n' },
  )
  expect(challenge?.containers).toEqual([
    {
      name: 'page',
      build: { context: '.' },
      command: ['python', '-m', 'my app'],
      args: ['--port', '5000'],
      cpu: 0.3,
      memoryMb: 128,
      user: 1000,
      group: 1000,
      readOnlyRoot: true,
      writablePaths: [{ path: '/tmp', sizeMb: 16 }],
      networks: ['front', 'back'],
      dependsOn: [{ name: 'db', when: 'ready' }, 'bot'],
      ports: [
        { port: 5000, speaks: 'http' },
        { port: 9001, speaks: 'http' },
      ],
    },
    {
      name: 'db',
      image: 'mariadb',
      environment: { MARIADB_ROOT_PASSWORD: 'x' },
      readiness: { command: ['mysqladmin', 'ping'] },
      networks: [{ name: 'back', aliases: ['database'] }],
      ...limits,
    },
    { name: 'bot', image: 'example/bot', networks: ['front'], ...limits },
  ])
  expect(fields).toEqual([noFlag])
})

test('mounted files of the repository and working_dir become part of images', () => {
  const { challenge, dockerfiles } = read(
    `services:
  app:
    build: ./app
    ports: [80]
    volumes: ["./flag.txt:/flag.txt:ro", "./static:/srv/static"]
  proxy:
    image: nginx
    volumes: [{ type: bind, source: ./nginx.conf, target: /etc/nginx/nginx.conf }]
    working_dir: /srv
`,
    {
      'web/shop/app/Dockerfile':
        '# syntax=docker/dockerfile:1\nFROM x AS run\nCOPY --chown=1 src /src\nCOPY --from=run /a /b\nRUN make\n',
      'web/shop/flag.txt': 'ctf{x}\n',
      'web/shop/static/a.css': '',
      'web/shop/nginx.conf': '',
    },
  )
  expect(challenge?.containers).toMatchObject([
    { build: { context: '.', dockerfile: 'Dockerfile.capstan-app' } },
    { build: { context: '.', dockerfile: 'Dockerfile.capstan-proxy' } },
  ])
  expect(dockerfiles).toEqual([
    {
      path: 'web/shop/Dockerfile.capstan-app',
      text: `# syntax=docker/dockerfile:1
FROM x AS run
COPY --chown=1 ["app/src","/src"]
COPY --from=run /a /b
RUN make
COPY ["flag.txt","/flag.txt"]
COPY ["static/","/srv/static/"]
`,
    },
    {
      path: 'web/shop/Dockerfile.capstan-proxy',
      text: 'FROM nginx\nCOPY ["nginx.conf","/etc/nginx/nginx.conf"]\nWORKDIR /srv\n',
    },
  ])
})

test('variables are read from `.env`, env_file, extended services and the override file', () => {
  const { challenge } = read(
    `services:
  app:
    extends: { file: ../base.yaml, service: base }
    env_file: [app.env]
    environment: { B: "\${VALUE}" }
`,
    {
      'web/base.yaml': 'services: { base: { image: "example/base", ports: [80], environment: [A=1, B=2] } }\n',
      'web/shop/.env': 'VALUE="from env"\n',
      'web/shop/app.env': 'C=3\nB=4\n',
      'web/shop/compose.override.yaml': 'services: { app: { environment: { D: "5" } } }\n',
    },
  )
  expect(challenge?.container).toMatchObject({ image: 'example/base', environment: { A: '1', B: 'from env', C: '3', D: '5' } })
})

it.each([
  ['privileged: true', '5 services.app.privileged'],
  ['cap_add: [SYS_PTRACE]', '5 services.app.cap_add'],
  ['security_opt: ["seccomp=unconfined"]', '5 services.app.security_opt'],
  ['ulimits: { nofile: 10 }', '5 services.app.ulimits'],
  ['volumes: ["/var/run/docker.sock:/var/run/docker.sock"]', '5 services.app.volumes[0]'],
  ['network_mode: host', '5 services.app.network_mode'],
  ['network_mode: "service:other"', '5 services.app.network_mode'],
  ['shm_size: 1g', '5 services.app.shm_size'],
  ['devices: [/dev/kvm]', '5 services.app.devices'],
  ['user: www', '5 services.app.user'],
  ['environment: ["SECRET=$SECRET"]', '5 services.app.environment.SECRET'],
  [`healthcheck: { test: "${'x'.repeat(8193)}" }`, '5 services.app.healthcheck'],
  ['unheard_of: 1', '5 services.app.unheard_of'],
])('a setting that instances do not support is reported: %s', (setting, field) => {
  const { challenge, fields } = read(`services:\n  app:\n    image: a\n    ports: [80]\n    ${setting}\n`)
  expect(challenge?.container).toMatchObject({ image: 'a', ports: [{ port: 80 }] })
  expect(fields).toEqual([field, noFlag])
})

it.each([
  ['a missing Dockerfile', 'services:\n  app:\n    build: .\n', '3 services.app.build'],
  ['a service with neither an image nor a build', 'services:\n  app:\n    ports: [80]\n', '2 services.app.image'],
  ['nine services', `services:\n${'abcdefghi'.replaceAll(/./g, '  $&: { image: x }\n')}`, '1 services'],
  ['an included file', 'include: [a.yaml]\nservices:\n  app: { image: x, ports: [80] }\n', '1 include'],
  ['an extended service that is missing', 'services:\n  app:\n    extends: base\n', '3 services.app.extends'],
])('a compose file is refused, with the line, because of %s', (_, compose, field) => {
  const { challenge, findings } = read(compose)
  expect(challenge).toBeUndefined()
  expect(findings?.filter(({ outcome }) => outcome === 'refused').map((each) => `${each.line} ${each.field}`)).toContain(field)
})

test('in a compose file, the flag of the challenge replaces the shell variable FLAG', () => {
  const files = {
    'web/shop/challenge.yml': 'name: Shop\ncategory: web\ndescription: Buy.\nvalue: 10\ntype: standard\nflags: ["ctf{real}"]\n',
    'web/shop/docker-compose.yml': 'services: { app: { image: a, ports: [80], environment: ["FLAG=${FLAG:-ctf{fake}}"] } }\n',
  }
  const [only, ...others] = importTree(createTextTree(files))
  expect(others).toEqual([])
  expect(only?.challenge?.container).toMatchObject({ environment: { FLAG: 'ctf{real}' } })
})

test('a compose file in a folder with files for players does not become a challenge', () => {
  const compose = 'services: { app: { image: a, ports: [80] } }\n'
  const found = importTree(createTextTree({ 'web/a/src/compose.yaml': compose, 'web/a/dist/compose.yaml': compose }))
  expect(found.map(({ file }) => file)).toEqual(['web/a/src/compose.yaml'])
})

test('the driver and the addresses of a network are reported', () => {
  const networks = 'networks: { back: { driver: bridge, ipam: { config: [{ subnet: 10.1.0.0/16 }] } } }'
  const { fields } = read(`services: { app: { image: a, ports: [80], networks: [back] } }\n${networks}\n`)
  expect(fields).toEqual(['2 networks.back', noFlag])
})

test('an external network and an internal network of a single service are reported', () => {
  const networks = 'networks: { out: { external: true }, back: { internal: true } }'
  const { fields, findings } = read(`services: { app: { image: a, ports: [80], networks: [out, back] } }\n${networks}\n`)
  expect(fields).toEqual(['2 networks.out', noFlag])
  expect(findings?.map(({ field }) => field)).toContain('networks.back')
})

test('extension fields of other tools are reported, even those that services include by anchors', () => {
  const { challenge, fields } = read(
    'x-common: &common { image: a, ports: [80] }\nservices:\n  app:\n    <<: *common\n    x-tool: 1\n',
  )
  expect(challenge?.container).toMatchObject({ image: 'a' })
  expect(fields).toEqual(['5 services.app.x-tool', '1 x-common', noFlag])
})

test('a `.dockerignore` is reported if the import replaces the build folder by a parent folder', () => {
  const files = {
    'web/shop/app/Dockerfile': 'FROM b\nCOPY . /\n',
    'web/shop/app/.dockerignore': 'secret\n',
    'web/shop/conf': 'c',
  }
  const { fields } = read('services: { app: { build: app, ports: [80], volumes: ["./conf:/conf"] } }\n', files)
  expect(fields).toEqual(['1 services.app', noFlag])
  const inside = { ...files, 'web/shop/app/conf': 'c' }
  expect(read('services: { app: { build: app, ports: [80], volumes: ["./app/conf:/conf"] } }\n', inside).fields).toEqual([noFlag])
})

test('`x-capstan` contains the settings that compose cannot express', () => {
  const { challenge, fields } = read(
    `x-capstan: { title: Shop of things, category: Pwn, flags: [{ template: "ctf{[GUID]}" }] }
services:
  app:
    image: a
    ports: [80]
    x-capstan: { flag: { file: /flag }, egress: Dns, ports: [{ port: 80, speaks: tcp }] }
`,
  )
  expect(challenge).toMatchObject({ title: 'Shop of things', category: 'Pwn', flags: [{ template: 'ctf{[GUID]}' }] })
  expect(challenge?.container).toMatchObject({ flag: { file: '/flag' }, egress: 'Dns', ports: [{ port: 80, speaks: 'tcp' }] })
  expect(fields).toEqual([])
})
