import type { Rules } from './judge.ts'

/** Files to check. */
export const sources = [
  'services/*/{src,bench}/**/*.ts',
  'operator/**/*.{ts,mjs}',
  'web/src/**/*.{ts,tsx}',
  'e2e/**/*.{ts,mjs}',
  'bench/**/*.ts',
  'scripts/**/*.{ts,mjs}',
] as const

/** Programs: entry points of processes, and tools that are only run by hand or by tests. */
const programs = [
  ...['services/*/src/server.ts', 'services/cli/src/main.ts', 'services/gateway/src/live-check/**', 'services/*/bench/**'],
  ...[
    'operator/src/{main,*/main}.ts',
    'operator/src/doctor/**',
    'operator/isolation-probe/**',
    'operator/testing-images/**',
    'scripts/**',
    'e2e/**',
    'bench/**',
  ],
]

export const rules: Rules = {
  tests: ['**/*.test.{ts,tsx}', '**/testing/**', 'services/bus/src/testing.ts', 'services/*/bench/**'],

  packages: [
    {
      package: 'contract',
      folder: 'services/contract',
      mayImport: [],
      why: 'Everybody imports the contract, the browser too.',
    },
    { package: 'settings', folder: 'services/settings', mayImport: [], why: 'How settings are read is below everything.' },
    { package: 'tracing', folder: 'services/tracing', mayImport: [], why: 'Tracing is below everything.' },
    { package: 'db', folder: 'services/db', mayImport: ['contract'], why: 'The tables know no process.' },
    { package: 'bus', folder: 'services/bus', mayImport: ['contract'], why: 'What processes share knows none of them.' },
    {
      package: 'http',
      folder: 'services/http',
      mayImport: ['contract', 'settings'],
      why: 'What listeners share knows none of them.',
    },
    {
      package: 'kubernetes',
      folder: 'services/kubernetes',
      mayImport: [],
      why: 'The toolkit knows no kind of object of ours and no word of the field.',
    },
    {
      package: 'challenge-instance',
      folder: 'services/challenge-instance',
      mayImport: ['contract', 'kubernetes'],
      why: 'What api and operator agree on knows neither.',
    },
    {
      package: 'challenge-files',
      folder: 'services/challenge-files',
      mayImport: ['contract'],
      why: 'How files of challenges are read and written is the same for the command and for the api.',
    },
    {
      package: 'cli',
      folder: 'services/cli',
      mayImport: ['contract', 'challenge-files'],
      why: 'The command speaks to the platform by the contract.',
    },
    {
      package: 'api',
      folder: 'services/api',
      mayImport: ['contract', 'bus', 'challenge-files', 'challenge-instance', 'db', 'http', 'kubernetes', 'settings', 'tracing'],
      layers: ['rules', 'server', 'instances', 'people', 'games', 'challenges', 'play'],
      why: 'The api knows neither the gateway nor the operator nor the web.',
    },
    {
      package: 'gateway',
      folder: 'services/gateway',
      mayImport: ['contract', 'bus', 'http', 'settings', 'tracing'],
      why: 'The gateway has no database and no code of the api: it asks through its port.',
    },
    {
      package: 'pages',
      folder: 'services/pages',
      mayImport: ['contract', 'http', 'settings', 'tracing'],
      why: 'The process of the pages serves files and passes calls on.',
    },
    {
      package: 'operator',
      folder: 'operator',
      mayImport: ['challenge-instance', 'kubernetes', 'settings', 'tracing'],
      why: 'Operator and services share ChallengeInstance, the Kubernetes toolkit, and the ways to read settings and to send traces.',
    },
    { package: 'web', folder: 'web', mayImport: ['contract'], why: 'The web speaks to the services by the contract.' },
    {
      package: 'e2e',
      folder: 'e2e',
      mayImport: ['contract', 'challenge-instance', 'cli'],
      why: 'These tests meet the product as users and cluster operators do.',
    },
    {
      package: 'bench',
      folder: 'bench',
      mayImport: ['contract', 'bus', 'challenge-instance', 'db', 'e2e', 'gateway', 'kubernetes', 'operator'],
      why: 'It measures processes of the product from the outside.',
    },
    { package: 'scripts', folder: 'scripts', mayImport: 'all', why: 'Entry points put everything together.' },
  ],

  zones: [
    {
      zone: 'tools of tests',
      files: ['**/testing/**', 'services/bus/src/testing.ts'],
      onlyFor: ['data', 'fuzz', 'bench'],
      why: 'The product runs without the tools of its tests.',
    },
    {
      zone: 'rules',
      files: ['services/api/src/rules/**'],
      mayImport: ['contract'],
      why: 'Rules are functions of plain values.',
    },
    {
      zone: 'repositories',
      files: ['services/api/src/*/*/{repository,*-repository}.ts'],
      ownFolderOnly: true,
      why: 'Other features ask the service of the feature: what it guards holds for them too.',
    },
    {
      zone: 'tables',
      files: ['services/db/src/schema/**'],
      onlyFor: ['repositories', 'database', 'data'],
      why: 'Statements stand in repositories, where they are found.',
    },
    {
      zone: 'database',
      files: ['services/db/**'],
      why: 'The package of the tables.',
    },
    {
      zone: 'statements',
      modules: ['drizzle-orm'],
      onlyFor: ['repositories', 'tables', 'database', 'data'],
      why: 'Statements stand in repositories, where they are found.',
    },
    {
      zone: 'web entries',
      files: ['web/src/main.tsx', 'web/src/app/**'],
      onlyFor: ['web entries'],
      why: 'They put the pages together.',
    },
    {
      zone: 'web routes',
      files: ['web/src/routes/**'],
      mayImport: ['web features', 'web components', 'web ground', 'contract'],
      onlyFor: ['web entries'],
      why: 'A page puts features together.',
    },
    {
      zone: 'web features',
      files: ['web/src/features/**'],
      mayImport: ['web components', 'web ground', 'contract'],
      apartBelow: 'web/src/features',
      why: 'What several features need is in components or lib.',
    },
    {
      zone: 'web components',
      files: ['web/src/components/**'],
      mayImport: ['web ground', 'contract'],
      why: 'Components know no feature and no page.',
    },
    {
      zone: 'web ground',
      files: ['web/src/{lib,stores,locales}/**'],
      mayImport: ['contract'],
      why: 'All other parts of the web import it.',
    },
    {
      zone: 'fuzz',
      files: ['scripts/fuzz/**'],
      why: 'It attacks listeners of the product that stand-ins complete.',
    },
    {
      zone: 'bench',
      files: ['bench/**'],
      why: 'It measures parts of the product with stand-ins for the others.',
    },
    {
      zone: 'data',
      files: ['scripts/{data,lib}/**'],
      why: 'Finished games are written straight into the tables.',
    },
  ],

  readings: [
    {
      reading: 'environment',
      why: 'Settings are read where a process starts and passed on.',
      places: [
        { files: programs, why: 'Here processes start.' },
        {
          files: ['services/api/src/instances/lifecycle/{process-runtime,container/engine}.ts', 'services/db/src/embedded.ts'],
          why: 'The programs that they start need PATH and the like; no setting is read.',
        },
      ],
    },
    {
      reading: 'time of day',
      why: 'What depends on the time is given `now` or a clock.',
      places: [
        { files: programs, why: 'Here processes start.' },
        {
          files: ['services/api/src/server/http/clock.ts', 'services/kubernetes/src/clock.ts', 'web/src/lib/clock.ts'],
          why: 'The clocks that are given to others.',
        },
        { files: ['services/gateway/src/gateway.ts'], why: 'It puts the gateway together and passes its clock on.' },
      ],
    },
    {
      reading: 'stopwatch',
      why: 'Only adapters measure how long something takes; rules are given times.',
      places: [
        { files: programs, why: 'Here processes start.' },
        { files: ['services/kubernetes/src/clock.ts'], why: 'The clock that is given to others.' },
        {
          files: ['services/{bus,db,http}/src/**', 'services/gateway/src/gateway.ts'],
          why: 'They count how long another process has been away, or has yet to answer.',
        },
        {
          files: [
            'services/api/src/instances/lifecycle/{container-runtime,process-runtime,process/usage,kubernetes/*}.ts',
            'services/kubernetes/src/access.ts',
          ],
          why: 'They count how long a program takes to start and how old a token is.',
        },
        {
          files: ['services/api/src/{server/{changes/feed,metrics/plugin,files/body-watch},play/scoreboard/service}.ts'],
          why: 'They count how long the database, an upload and a build take, and how long ago changes were looked for.',
        },
        {
          files: ['web/src/components/ui/{tooltip-layer,animated-number}.tsx'],
          why: 'They measure how long the pointer rests and how far a motion is.',
        },
      ],
    },
    {
      reading: 'events',
      why: 'A listener that throws would end the process: `Guard` of services/http ends its exchange only.',
      places: [
        { files: [...programs, 'operator/**', 'web/**'], why: 'No player connects to them.' },
        {
          files: ['services/{bus,db,cli,kubernetes}/src/**'],
          why: 'They connect to servers of the operator, and accept nothing.',
        },
        { files: ['services/http/src/guard.ts'], why: 'Here is the guard.' },
        {
          files: ['services/http/src/termination.ts', 'services/tracing/src/{serialize-error,http-server}.ts'],
          why: 'Signals and failures of the process itself, and the end of a span, which reports nothing.',
        },
        {
          files: [
            'services/api/src/{people/accounts/hash-threads,challenges/archives/reading-thread,play/scoreboard/{board-thread,board-thread-main}}.ts',
            'services/api/src/server/files/decoder/*.ts',
            'services/api/src/instances/lifecycle/{tcp-probe,line-reader,process-runtime,container/engine}.ts',
            'services/api/src/instances/captures/recorder.ts',
          ],
          why: 'Threads, child processes and connections that the api opens itself.',
        },
      ],
    },
    {
      reading: 'platform log',
      why: 'Lines about people are written by the `record` of their call, those about the platform by `recordSystem`.',
      places: [{ files: ['services/api/src/server/logs/**'], why: 'Here the lines are put together.' }],
    },
  ],
}
