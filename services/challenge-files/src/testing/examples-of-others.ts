/** Descriptors of other platforms that use many of their fields. */

export const rcdsText = `name: Guess the bit!
author: [alice, bob]
description: |
  Is it one or zero?

  \`{{ nc }}\` and [Admin Bot]({{ adminbot }})
flag: &flag "ctf{0_or_1}"
provide:
  - ./server.py
  - file: ./dist.tar.gz
    as: handout.tar.gz
value: {min: 100, max: 400}
sortWeight: 3
containers:
  main:
    build: .
    replicas: 2
    ports: [5000]
    environment: {FLAG: *flag, MODE: yes}
    resources:
      limits: {cpu: 150m, memory: 100M}
  db:
    image: postgres
    ports: [5432]
expose:
  main:
    - {target: 5000, tcp: 31110}
oddity: 1
`

export const ctfcliText = `name: Prison Break
author: dev
category: Miscellaneous
description: Who is it?
value: 500
type: dynamic
extra: {initial: 500, decay: 100, minimum: 100}
image: .
protocol: http
flags:
  - csictf{one}
  - {type: static, content: "CSICTF{Two}", data: case_insensitive}
  - {type: regex, content: "csictf\\\\{\\\\d+\\\\}"}
hints:
  - look up
  - {content: look down, cost: 50}
tags: [easy, Easy]
topics: [the way in]
difficulty: Very-Easy
files: [dist/a.txt]
state: visible
attempts: 5
version: "0.1"
`

export const kctfText = `apiVersion: kctf.dev/v1
kind: Challenge
metadata: {name: sandbox-v8box}
spec:
  deployed: true
  network:
    public: true
    ports: [{protocol: HTTPS, targetPort: 1337}]
  podTemplate:
    template:
      spec:
        containers:
          - name: challenge
            env: [{name: A, value: "1"}, {name: S, valueFrom: {secretKeyRef: {name: s, key: k}}}]
            resources: {requests: {cpu: "1", memory: 2Gi}}
---
apiVersion: v1
kind: Secret
`

const konaText = `challenges:
  - category: pwn
    name: intact
    attachments: { files: [src/] }
    flags:
      rctf:
        - {provider: flags/dynamic, config: {base: 'ctf{a_b}', mode: tail}}
    instancerConfig:
      instancer: docker
      config:
        services:
          app:
            image: example/intact:1
            environment: {PORT: '8000', RCTF_FLAG: '\${RCTF_FLAG}'}
            read_only: true
            mem_limit: 128m
            cpus: 0.5
      expose:
        - {kind: tcp-ssl, hostPrefix: intact, containerName: app, containerPort: 8583}
`

const tomlText = `name = "lis"
author = "Larry"
description = """
At {{main.url}}
  [not a table]
"""
value = 300
[flag]
file = "flag.txt"
`

const sheetText = `name,description,category,value,type,state,max_attempts,flags,tags,type_data,hints,files
Falling,Text,Web,100,dynamic,hidden,0,"[{""type"":""regex"",""content"":""flag.+""},{""content"":""FLAG"",""data"":""case_insensitive""}]",,"{""initial"":400,""minimum"":100,""decay"":20}",,dist/a.zip
`

function image(text: string) {
  return text.replace('build: .', 'image: example/a:1').replace('image: .', 'image: example/a:1')
}

/**
 * Repositories with challenges for other platforms. Their challenges name an image instead of a folder to build, so that tests
 * build nothing.
 */
export const examplesOfOthers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  rcds: {
    'crypto/guess/challenge.yaml': image(rcdsText),
    'crypto/guess/server.py': 'pass',
    'crypto/guess/dist.tar.gz': 'packed',
  },
  'rcds in TOML': { 'algo/lis/challenge.toml': tomlText, 'algo/lis/flag.txt': 'flag{lis}\n' },
  ctfcli: { 'misc/prison/challenge.yml': image(ctfcliText), 'misc/prison/dist/a.txt': 'a' },
  kCTF: {
    'v8box/challenge.yaml': kctfText.replace('  deployed', '  image: example/v8box:1\n  deployed'),
    'v8box/metadata.yaml': 'name: v8box\ncategory: sandbox\ndescription: Escape!\nflag: CTF{x}\nvisible: true\n',
    'v8box/attachments/v8.patch': 'patch',
  },
  Konata: { 'pwn/intact/kona.yaml': konaText, 'pwn/intact/src/app.py': 'pass', 'pwn/intact/src/lib/x.py': 'x' },
  'a sheet of CTFd': { 'challenges.csv': sheetText, 'dist/a.zip': 'zip' },
}
