import { importDescriptor } from '@capstan/challenge-files/importers/import'
import { createTextTree } from '@capstan/challenge-files/testing/text-tree'
import { describe, expect, it } from 'vitest'
import { findUnreportedKeys } from './unnamed-keys.ts'

function unnamedIn(file: string, text: string, beside: Readonly<Record<string, string>> = {}): string[] {
  return findUnreportedKeys(createTextTree({ [file]: text, ...beside }), file).map(({ field }) => field)
}

describe('the search for fields that are dropped without a report', () => {
  it.each([
    ['a/challenge.yaml', 'name: A\nflag: ctf{a}\nvalue: 100\nsortWeight: 3\n'],
    ['a/challenge.toml', 'name = "A"\nflag = "ctf{a}"\nvalue = 100\nsortWeight = 3\nrelease = 2026-01-01T00:00:00Z\n'],
  ])('finds a dropped field in %s if the importer does not report the field', (file, text) => {
    const tree = createTextTree({ [file]: text })
    expect(findUnreportedKeys(tree, file)).toEqual([])
    const silent = (...given: Parameters<typeof importDescriptor>) =>
      importDescriptor(...given).map((each) => ({ ...each, findings: [] }))
    expect(findUnreportedKeys(tree, file, silent).map(({ field }) => field)).toContain('sortWeight')
  })
})

/**
 * The first challenge has an instance per team, and the second challenge has no instances. Together, both challenges have every
 * field that Konata documents.
 */
const konaYaml = `discovery: { skip: false }
challenges:
  - category: web
    name: Store
    author: ada
    description: "Buy it at {{ challenge.name }}"
    overrideId: web_store
    tags: [shop]
    attachments:
      files: [src/app.py]
      exclude: ['*.key']
      additional:
        - { path: flag.txt, strContent: dummy }
        - { path: key.bin, base64Content: eA== }
      preCompressed: [dist/store.tar.gz]
      archiveName: store
      stripComponents: 1
      password: secret
    scoring:
      initialValue: 500
      minimumValue: 100
      rctf: { eligibleForTiebreaks: false, kind: dynamic, dynamic: { transport: webhook, secret: { secret: name } } }
      ctfd: { decay: 40, decayFunction: linear, maxAttempts: 3 }
    flags:
      rctf: { str: 'ctf{store}' }
      ctfd: [{ type: regex, flag: 'ctf\\{.*\\}' }, { flag: { file: flag.txt } }]
    endpoints:
      - { type: https, endpoint: store.example.org, port: 443 }
      - { type: nc, endpoint: store.example.org, port: 1337 }
    hidden: true
    releaseTime: 2026-06-28T20:00:00Z
    sortWeight: 3
    instancerConfig:
      instancer: k8s
      challengeIntegrationId: store
      timeoutMilliseconds: 1800000
      extendable: true
      expose:
        - { kind: https, hostPrefix: store, containerName: app, containerPort: 8080, shouldDisplay: true, title: Shop }
        - { kind: tcp, hostPrefix: admin, containerName: app, containerPort: 9090 }
        - { kind: tcp, containerName: db, containerPort: 3306 }
      config:
        pods:
          - name: app
            egress: false
            ports: [{ protocol: TCP, port: 8080 }, { protocol: TCP, port: 9999 }]
            spec:
              restartPolicy: Always
              containers:
                - name: app
                  image: "{{ images['store'] }}"
                  ports: [{ containerPort: 8080 }, { containerPort: 7070, name: metrics }]
                  volumeMounts: [{ name: tmp, mountPath: /tmp }]
                  readinessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 5 }
              volumes: [{ name: tmp, emptyDir: { medium: Memory } }]
          - name: db
            spec: { containers: [{ name: db, image: mysql }] }
    adminBot: { code: 'visit()' }
    ctfd: { hints: [{ hint: Look, cost: 10, title: First }], topics: [shops], connectionInfo: nc x 1, type: dynamic }
deployment:
  images:
    - path: src
      dockerfile: Containerfile
      name: store
      tag: latest
      registryName: challenges
      platform: linux/amd64
      buildArgs: { ENV: prod }
      noCache: true
      exports: [{ stage: out, src: /out, dst: ./handout }]
  kubernetesManifests:
    - { paths: [manifests/a.yaml], clusterName: main, rolloutRestart: { image: true, annotationPath: x } }
  kubernetesInlineManifests:
    - { clusterName: main, documents: [{ kind: Namespace }] }
`
const endpointsAlone = `challenges:
  - category: misc
    name: Outside
    flags: { rctf: { file: flag.txt } }
    endpoints: [{ type: nc, endpoint: outside.example.org, port: 1337 }, { type: http, endpoint: x.example.org }]
`
const konaToml = `[[challenges]]
category = "misc"
name = "Outside"
release_time = 2026-06-28T20:00:00Z
flags = { rctf = "ctf{outside}" }
attachments = ["a.txt"]
[[challenges.endpoints]]
type = "nc"
endpoint = "outside.example.org"
port = 1337
`
/** Challenge with every field that klodd documents. */
const klodd = `apiVersion: klodd.tjcsec.club/v1
kind: Challenge
metadata: { name: test, namespace: ctf, labels: { a: b } }
spec:
  name: Test
  timeout: 10000
  pods:
    - name: app
      ports: [{ port: 80 }, { port: 81 }]
      egress: true
      spec:
        containers:
          - name: main
            image: registry.test/whoami
            ports: [{ containerPort: 80 }, { containerPort: 82 }]
            resources: { requests: { memory: 100Mi, cpu: 75m }, limits: { memory: 250Mi, cpu: 100m } }
            startupProbe: { httpGet: { path: /, port: 80 }, failureThreshold: 30 }
            securityContext: { privileged: true }
        automountServiceAccountToken: false
    - { name: mysql, ports: [{ port: 3306 }], spec: { containers: [{ name: mysql, image: registry.test/mysql }] } }
  expose: { kind: http, pod: app, port: 80 }
  middlewares: [{ contentType: { autoDetect: false } }, { rateLimit: { average: 5, burst: 10 } }]
`

/** Fields that an extension adds to ctfcli, with their names on this platform. */
const hosted = `name: Hosted
category: Misc
value: 1000
type: DynamicContainer
scripts: { start: "cd ./src && docker build -t hosted .", restart: make }
container:
  flagTemplate: "ctf{each_[TEAM_HASH]}"
  containerImage: hosted:latest
  memoryLimit: 256
  cpuCount: 3
  storageLimit: 512
  containerExposePort: 6000
  enableTrafficCapture: true
  networkMode: open
provide: ./dist
`

describe('the importers report every field that they drop', () => {
  const beside = {
    'a/src/app.py': '',
    'a/src/Containerfile': 'FROM x\n',
    'a/dist/store.tar.gz': '',
    'a/flag.txt': 'ctf{file}',
    'a/a.txt': '',
    'a/src/Dockerfile': 'FROM x\n',
    'a/dist/hosted.py': '',
  }
  const underscored = konaYaml.replaceAll(/\b([a-z]+[A-Z]\w*)(?=:)/g, (key) =>
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  it.each([
    ['Konata with an instancer', 'a/kona.yaml', konaYaml],
    ['Konata with underscores', 'a/kona.yml', underscored],
    ['Konata without an instancer', 'a/kona.yaml', endpointsAlone],
    ['Konata in TOML', 'a/kona.toml', konaToml],
    ['klodd', 'a/challenge.yaml', klodd],
    ['an extension of ctfcli', 'a/challenge.yml', hosted],
    [
      'the extension without a template',
      'a/challenge.yml',
      hosted.replace('DynamicContainer', 'StaticContainer\nflags: [ctf{x}]'),
    ],
    [
      'the extension with only an image',
      'a/challenge.yml',
      hosted.replace('cd ./src &&', 'cd elsewhere &&').replace('_[TEAM_HASH]', ''),
    ],
  ])('the importer reports every field that it drops from %s', (_, file, text) => {
    expect(unnamedIn(file, text, beside)).toEqual([])
  })

  it('reports a missing category if the name of the folder is not a category', () => {
    const text = 'name: A\nvalue: 50\ntype: standard\nflags: ["ctf{a}"]\n'
    const [named] = importDescriptor(
      createTextTree({ 'Open-Source Intelligence/a/challenge.yml': text }),
      'Open-Source Intelligence/a/challenge.yml',
    )
    expect([named?.challenge?.category, named?.findings]).toEqual(['OSINT', []])
    const [other] = importDescriptor(createTextTree({ 'tasks/a/challenge.yml': text }), 'tasks/a/challenge.yml')
    expect([other?.challenge?.category, other?.findings.map(({ field }) => field)]).toEqual(['Misc', ['category']])
  })

  it('imports a challenge of the ctfcli extension that runs containers', () => {
    const [only] = importDescriptor(createTextTree({ 'a/challenge.yml': hosted, ...beside }), 'a/challenge.yml')
    expect(only?.challenge).toMatchObject({
      score: { points: 1000 },
      flags: [{ template: 'ctf{each_[TEAM_HASH]}' }],
      attachments: [{ file: 'dist' }],
      container: {
        ...{ build: { context: 'src' }, ports: [{ port: 6000, speaks: 'tcp' }] },
        ...{ cpu: 0.3, memoryMb: 256, storageMb: 512, capture: true },
      },
    })
    expect(only?.findings.map(({ field }) => field)).toEqual([
      'scripts.restart',
      'container.networkMode',
      'container.containerImage',
    ])
  })

  it.each([
    ['-t hosted', true],
    ['--tag=registry.test/hosted:1', true],
    ['-f prod.Dockerfile -t hosted', false],
    ['--build-arg K=V -t hosted', false],
    ['--target run -t hosted', false],
    ['-t hosted --no-cache', false],
  ])('imports `docker build %s .` only if the import can represent all options', (options, isTaken) => {
    const text = hosted.replace('build -t hosted', `build ${options}`)
    const [only] = importDescriptor(createTextTree({ 'a/challenge.yml': text, ...beside }), 'a/challenge.yml')
    const fields = only?.findings.map(({ field }) => field)
    expect([only?.challenge?.container?.build?.context, fields?.includes('scripts.start')]).toEqual([
      isTaken ? 'src' : undefined,
      !isTaken,
    ])
  })
})
