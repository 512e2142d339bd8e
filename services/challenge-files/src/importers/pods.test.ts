import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

const konaText = `challenges:
  - category: web
    name: Store
    author: [a]
    overrideId: web_store
    description: Buy it at {{ config.domains['x'] }}
    attachments: { files: [src/], additional: [{ path: f, strContent: x }] }
    flags:
      rctf: { str_content: "ctf{store}" }
      ctfd: ["ctf{other}"]
    scoring: { initial_value: 500, minimumValue: 100 }
    hidden: true
    sortWeight: 3
    instancerConfig:
      timeoutMilliseconds: 1000
      expose: [{ kind: https, hostPrefix: s, containerName: app, containerPort: 8080 }]
      config:
        pods:
          - name: db
            spec: { containers: [{ name: db, image: mysql }] }
          - name: app
            egress: true
            spec:
              containers:
                - name: app
                  image: "{{ images['store'] }}"
                  env: [{ name: FLAG, value: "ctf{store}" }]
                  resources: { limits: { cpu: 500m, memory: 512Mi } }
                  securityContext: { readOnlyRootFilesystem: true, privileged: true }
  - { category: misc, name: Second, flags: { rctf: "ctf{2}" } }
deployment:
  images: [{ path: src, name: store, tag: latest }]
oddity: 1
`

it('a kona.yaml is imported with field names in camel case and with underscores', () => {
  const [first, second] = importTree(
    createTextTree({ 'store/kona.yaml': konaText, 'store/src/Dockerfile': 'FROM x\n', 'kona.yaml': 'rctf: {}\n' }),
  )
  expect(first?.challenge).toEqual({
    apiVersion: 'capstan/v1',
    kind: 'Challenge',
    name: 'web-store',
    title: 'Store',
    category: 'Web',
    authors: ['a'],
    enabled: false,
    description: 'Buy it at [address of your instance]',
    score: { points: 500, minimumShare: 0.2, curve: 'rctf' },
    flags: [{ text: 'ctf{store}' }, { text: 'ctf{other}' }],
    attachments: [{ file: 'src' }],
    container: {
      build: { context: 'src' },
      ports: [{ port: 8080, speaks: 'http' }],
      environment: { FLAG: 'ctf{store}' },
      cpu: 0.5,
      memoryMb: 512,
      readOnlyRoot: true,
      egress: true,
    },
  })
  expect(first?.findings.map(({ field }) => field).sort()).toEqual([
    'challenges[0].attachments.additional',
    'challenges[0].description',
    'challenges[0].instancerConfig.config.pods[0]',
    'challenges[0].instancerConfig.config.pods[1].name',
    'challenges[0].instancerConfig.config.pods[1].spec.containers[0].name',
    'challenges[0].instancerConfig.config.pods[1].spec.containers[0].securityContext.privileged',
    'challenges[0].instancerConfig.expose[0].hostPrefix',
    'challenges[0].instancerConfig.timeoutMilliseconds',
    'challenges[0].sortWeight',
    'deployment.images[0].tag',
    'oddity',
    'rctf',
  ])
  expect(second?.challenge).toMatchObject({ name: 'misc-second', flags: [{ text: 'ctf{2}' }] })
})

it('the exposed pod of a klodd challenge is imported, and parts that are in another file are reported', () => {
  const text = `apiVersion: klodd.tjcsec.club/v1
kind: Challenge
metadata: { name: analects }
spec:
  name: Analects
  timeout: 300000
  pods:
    - { name: mysql, ports: [{ port: 3306 }], spec: { containers: [{ name: mysql, image: "x/mysql" }] } }
    - { name: app, ports: [{ port: 80 }], spec: { containers: [{ name: app, image: "x/app", readinessProbe: { httpGet: { path: /up, port: 80 }, exec: {} } }], securityContext: { runAsUser: 5, runAsGroup: 6 }, automountServiceAccountToken: false } }
  expose: { kind: http, pod: app, port: 80 }
`
  const [only] = importTree(createTextTree({ 'web/analects/challenge.yaml': text }))
  expect(only).toMatchObject({
    dialect: 'klodd',
    challenge: {
      title: 'Analects',
      category: 'Web',
      flags: [],
      container: {
        image: 'x/app',
        ports: [{ port: 80, speaks: 'http' }],
        user: 5,
        group: 6,
        readiness: { port: 80, path: '/up' },
      },
    },
  })
  expect(only?.findings.map(({ line, field }) => [line, field])).toEqual([
    [8, 'spec.pods[0]'],
    [9, 'spec.pods[1].name'],
    [9, 'spec.pods[1].spec.containers[0].name'],
    [9, 'spec.pods[1].spec.containers[0].readinessProbe.exec'],
    [9, 'spec.pods[1].spec.automountServiceAccountToken'],
    [6, 'spec.timeout'],
    [1, 'flags'],
    [1, 'score'],
    [1, 'container'],
  ])
})

it('a jailed image is converted into an image without the jail, and this is reported', () => {
  const [only] = importTree(
    createTextTree({
      'pwn/a/challenge.yaml':
        'name: A\nflag: { file: flag.txt }\ncontainers: { main: { build: ., ports: [5000] } }\nexpose: { main: [{ target: 5000 }] }\n',
      'pwn/a/flag.txt': 'ctf{a}',
      'pwn/a/Dockerfile': 'FROM pwn.red/jail\nCOPY --from=ubuntu / /srv\nCOPY flag.txt /srv/app/flag.txt\nCOPY a /srv/app/run\n',
    }),
  )
  expect(only?.challenge?.container).toEqual({
    build: { context: '.', dockerfile: 'Dockerfile.capstan' },
    ports: [{ port: 5000, speaks: 'tcp' }],
    flag: { file: '/app/flag.txt' },
  })
  expect(only?.dockerfiles?.[0]).toMatchObject({
    path: 'pwn/a/Dockerfile.capstan',
    text: expect.stringContaining('FROM ubuntu\n'),
  })
  expect(only?.findings.slice(1, 2)).toMatchObject([{ file: 'pwn/a/Dockerfile', line: 1, outcome: 'converted' }])
})

it.each([
  ['that is a name', '{ path: /up, port: web }', { path: '/up' }, 'spec.pods[0].spec.containers[0].readinessProbe.httpGet.port'],
  ['that the container lacks', '{ path: /up, port: 81 }', undefined, 'container.readiness.port'],
])('a readiness probe is reported if its port is %s', (_what, probe, readiness, field) => {
  const container = `{ name: app, image: "x/app", readinessProbe: { httpGet: ${probe} } }`
  const text = `apiVersion: klodd.tjcsec.club/v1
kind: Challenge
metadata: { name: analects }
spec:
  pods: [{ name: app, ports: [{ port: 80 }], spec: { containers: [${container}] } }]
  expose: { kind: http, pod: app, port: 80 }
`
  const [only] = importTree(createTextTree({ 'web/analects/challenge.yaml': text }))
  expect(only?.challenge?.container?.readiness).toEqual(readiness)
  expect(only?.findings.map((finding) => finding.field)).toContain(field)
})
