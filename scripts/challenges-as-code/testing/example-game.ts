import { drawPoster } from '../../../e2e/challenges/poster.ts'

/** PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Secret values in the example game, which no output may contain. */
export const secrets = {
  flag: 'flag{a_bowline_holds}',
  template: 'flag{over_the_bow_[TEAM_HASH]}',
  environmentFlag: 'flag{out_of_the_environment}',
  pattern: 'flag\\{rope_[0-9]+\\}',
  secret: 'a-key-of-the-harbour',
  inviteCode: 'crew-only',
  divisionCode: 'cadets-only',
} as const

export const environment = { ROPES_FLAG: secrets.environmentFlag, ROPES_KEY: secrets.secret, INVITE_CODE: secrets.inviteCode }

/** Returns the files of a game with a challenge of every type. The challenges use every setting that a file can contain. */
export function createExampleGameFiles(name: string): Record<string, string | Uint8Array> {
  return {
    'capstan.yaml': `# The cup of this autumn.
apiVersion: capstan/v1
kind: Game
name: ${name}
title: Autumn Cup ${name}
summary: A weekend at sea.
description:
  file: game.md
starts: 2026-10-10T10:00:00Z
ends: 2026-10-11T10:00:00+02:00
inviteCode:
  environment: INVITE_CODE # of the crew
divisions:
  - name: Open
  - name: Cadets
    inviteCode: ${secrets.divisionCode}
    rights: [points, join, see, submit]
    challenges:
      knots: [see]
teamSize: 4
writeups:
  required: true
  note: Send a PDF.
bloodBonus:
  first: 7.5
registration:
  opens: 2026-09-01T10:00:00Z
  teams: 64
survey: Anonymous # after the end
certificate:
  enabled: true
  title: Certificate
  text: |
    # {team}
    Place {rank}
  participationText: '{team} took part'
  signer: The crew
  paper: Letter
questions:
  - scope: Team
    kind: Choice
    title: Shirt size
    required: true
    options: [S, M]
  - title: Diet
    help: For the dinner.
bloodPoints:
  first: 50
  third: 10
`,
    'game.md': '# Rules\n\nBe kind.\n',
    'misc/knots/capstan.yaml': `apiVersion: capstan/v1
kind: Challenge
name: knots
title: Knots
category: Misc
tags: [rope-work, ' Knots ', knots] # of the trade
difficulty: easy
enabled: true
description:
  file: README.md
score:
  points: 300 # of the rope
  minimumShare: 0.4
  difficulty: 6
  curve: linear
  fixed: true
bloods: false
unlock:
  after: [ropes] # which come later
  points: 200
  locked: Hidden
flags:
  - text: ${secrets.flag}
hints:
  - Look *twice*.
  - { text: Pull., price: 20 }
attachments:
  - file: rope.txt
  - file: knot.txt
`,
    'misc/knots/README.md': 'What is this?\n\n![a knot](img/knot.png "Knot")\n\n![elsewhere](https://example.org/a.png)\n',
    'misc/knots/img/knot.png': pixel,
    'misc/knots/rope.txt': 'rope',
    'misc/knots/knot.txt': 'knot',
    'web/ropes/capstan.yaml': `apiVersion: capstan/v1
kind: Challenge
name: ropes
title: Ropes
category: Web
enabled: true
description: Pull one.
flags:
  - environment: ROPES_FLAG
  - pattern: ${secrets.pattern}
    ignoreCase: true
  - text: flag{Any_Case}
    ignoreCase: true
container:
  image: registry.example.org/ropes:1
  ports:
    - port: 8080
      speaks: http
      guarded: true
    - port: 9090
  command:
    - /bin/serve
  environment:
    MODE: hard # for seamen
    KEY:
      secret: ROPES_KEY
  flag:
    environment: ROPE_FLAG
    file: { path: /flag.txt, mode: '0444', owner: 1000 }
  user: 1000
  readOnlyRoot: true
  writablePaths:
    - { path: /tmp, sizeMb: 8 }
  egress: false
  readiness: { path: /healthz, port: 9090 }
  startTimeoutSeconds: 60
  memoryMb: 96
  cpu: 0.3
`,
    'pwn/anchor/capstan.yaml': `apiVersion: capstan/v1
kind: Challenge
name: anchor
title: Anchor
category: Pwn
description: Heavy.
flags:
  - template: ${secrets.template}
attachments:
  - url: https://example.org/anchor.bin
container:
  image: registry.example.org/anchor:1
  ports:
    - port: 1337
  capture: true
`,
    'forensics/chart/capstan.yaml': `apiVersion: capstan/v1
kind: Challenge
name: chart
title: Chart
category: Forensics
description: Each crew has its own.
flags:
  - eachTeam: flag{by_the_mark_[HEX]}
    count: 3
    make: [sh, -c, 'printf "chart of %s" "$FLAG" > "$OUTPUT"']
    as: chart.txt
`,
  }
}

/** Adds a poster to the files of a game. The platform needs some time to convert it. */
export function addPosterFile(files: Record<string, string | Uint8Array>): Record<string, string | Uint8Array> {
  return {
    ...files,
    'capstan.yaml': `${String(files['capstan.yaml'])}poster: poster.png\n`,
    'poster.png': drawPoster(),
  }
}

/** Returns the files of a smaller game for tests that apply it many times. */
export function createSmallGameFiles(name: string): Record<string, string | Uint8Array> {
  const { 'pwn/anchor/capstan.yaml': _anchor, ...files } = createExampleGameFiles(name)
  const chart = 'forensics/chart/capstan.yaml'
  return { ...files, [chart]: String(files[chart]).replace('count: 3', 'count: 1') }
}
