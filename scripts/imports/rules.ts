import type { Rules } from './import-check.ts'

export const sources = [
  'services/*/{src,bench}/**/*.ts',
  'operator/**/*.{ts,mjs}',
  'web/src/**/*.{ts,tsx}',
  'e2e/**/*.{ts,mjs}',
  'bench/**/*.ts',
  'scripts/**/*.{ts,mjs}',
] as const

/** Programs: entry points of processes, and tools that people or tests run. */
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
      why: 'All packages import the contract, including the web client.',
    },
    {
      package: 'settings',
      folder: 'services/settings',
      mayImport: [],
      why: 'All processes read settings, so this package is at the bottom.',
    },
    {
      package: 'tracing',
      folder: 'services/tracing',
      mayImport: [],
      why: 'All processes are traced, so this package is at the bottom.',
    },
    { package: 'db', folder: 'services/db', mayImport: ['contract'], why: 'Tables do not depend on processes.' },
    { package: 'bus', folder: 'services/bus', mayImport: ['contract'], why: 'Shared code does not depend on processes.' },
    {
      package: 'http',
      folder: 'services/http',
      mayImport: ['contract', 'settings'],
      why: 'Shared code does not depend on listeners.',
    },
    {
      package: 'kubernetes',
      folder: 'services/kubernetes',
      mayImport: [],
      why: 'The toolkit does not depend on our object kinds or on CTF terms.',
    },
    {
      package: 'challenge-instance',
      folder: 'services/challenge-instance',
      mayImport: ['contract', 'kubernetes'],
      why: 'Code shared by api and operator depends on neither.',
    },
    {
      package: 'challenge-files',
      folder: 'services/challenge-files',
      mayImport: ['contract'],
      why: 'The command and the api read and write challenge files with the same code.',
    },
    {
      package: 'cli',
      folder: 'services/cli',
      mayImport: ['contract', 'challenge-files'],
      why: 'The command calls the platform only through the contract.',
    },
    {
      package: 'api',
      folder: 'services/api',
      mayImport: ['contract', 'bus', 'challenge-files', 'challenge-instance', 'db', 'http', 'kubernetes', 'settings', 'tracing'],
      layers: ['rules', 'server', 'instances', 'people', 'games', 'challenges', 'play'],
      why: 'The api does not depend on the gateway, the operator or the web.',
    },
    {
      package: 'gateway',
      folder: 'services/gateway',
      mayImport: ['contract', 'bus', 'http', 'settings', 'tracing'],
      why: 'The gateway has no database and no code of the api. It calls the api through a port.',
    },
    {
      package: 'pages',
      folder: 'services/pages',
      mayImport: ['contract', 'http', 'settings', 'tracing'],
      why: 'The web process only serves files and forwards calls.',
    },
    {
      package: 'operator',
      folder: 'operator',
      mayImport: ['challenge-instance', 'kubernetes', 'settings', 'tracing'],
      why: 'Operator and services share only ChallengeInstance, the Kubernetes toolkit, settings and tracing.',
    },
    {
      package: 'web',
      folder: 'web',
      mayImport: ['contract'],
      why: 'The web client calls the services only through the contract.',
    },
    {
      package: 'e2e',
      folder: 'e2e',
      mayImport: ['contract', 'challenge-instance', 'cli'],
      why: 'These tests use the product like users and cluster operators.',
    },
    {
      package: 'bench',
      folder: 'bench',
      mayImport: ['contract', 'bus', 'challenge-instance', 'db', 'e2e', 'gateway', 'kubernetes', 'operator'],
      why: 'It measures processes of the product from the outside.',
    },
    { package: 'scripts', folder: 'scripts', mayImport: 'all', why: 'Entry points assemble all packages.' },
  ],

  zones: [
    {
      zone: 'tools of tests',
      files: ['**/testing/**', 'services/bus/src/testing.ts'],
      onlyFor: ['data', 'fuzz', 'freeze', 'bench'],
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
      why: 'Other features call the service of the feature, so that its rules apply to them too.',
    },
    {
      zone: 'tables',
      files: ['services/db/src/schema/**'],
      onlyFor: ['repositories', 'database', 'data'],
      why: 'SQL statements are only in repositories.',
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
      why: 'SQL statements are only in repositories.',
    },
    {
      zone: 'web entries',
      files: ['web/src/main.tsx', 'web/src/app/**'],
      onlyFor: ['web entries'],
      why: 'They assemble the pages.',
    },
    {
      zone: 'web routes',
      files: ['web/src/routes/**'],
      mayImport: ['web features', 'web components', 'web ground', 'contract'],
      onlyFor: ['web entries'],
      why: 'A page combines features.',
    },
    {
      zone: 'web features',
      files: ['web/src/features/**'],
      mayImport: ['web components', 'web ground', 'contract'],
      apartBelow: 'web/src/features',
      why: 'Code for several features is in components or lib.',
    },
    {
      zone: 'web components',
      files: ['web/src/components/**'],
      mayImport: ['web ground', 'contract'],
      why: 'Components do not depend on features or pages.',
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
      why: 'It attacks listeners of the product, with fakes for the other parts.',
    },
    {
      zone: 'freeze',
      files: ['scripts/freeze/**'],
      why: 'It starts the database of the leak test.',
    },
    {
      zone: 'bench',
      files: ['bench/**'],
      why: 'It measures parts of the product, with fakes for the others.',
    },
    {
      zone: 'data',
      files: ['scripts/{data,lib}/**'],
      why: 'Finished games are written directly to the tables.',
    },
  ],

  readings: [
    {
      reading: 'environment',
      why: 'Settings are read where a process starts and passed on.',
      places: [
        { files: programs, why: 'Processes start here.' },
        {
          files: ['services/api/src/instances/lifecycle/{process-runtime,container/engine}.ts', 'services/db/src/embedded.ts'],
          why: 'Their child processes need PATH; no setting is read.',
        },
      ],
    },
    {
      reading: 'time of day',
      why: 'Code that depends on time gets `now` or a clock as a parameter.',
      places: [
        { files: programs, why: 'Processes start here.' },
        {
          files: ['services/api/src/server/http/clock.ts', 'services/kubernetes/src/clock.ts', 'web/src/lib/clock.ts'],
          why: 'These are the clocks that other code gets.',
        },
        { files: ['services/gateway/src/gateway.ts'], why: 'It assembles the gateway and passes its clock on.' },
      ],
    },
    {
      reading: 'stopwatch',
      why: 'Only adapters measure durations; rules get times as parameters.',
      places: [
        { files: programs, why: 'Processes start here.' },
        { files: ['services/kubernetes/src/clock.ts'], why: 'This is the clock that other code gets.' },
        {
          files: ['services/{bus,db,http}/src/**', 'services/gateway/src/gateway.ts'],
          why: 'They measure outages and response times of other processes.',
        },
        {
          files: [
            'services/api/src/instances/lifecycle/{container-runtime,process-runtime,process/usage,kubernetes/*}.ts',
            'services/kubernetes/src/access.ts',
          ],
          why: 'They measure the start of a program and the age of a token.',
        },
        {
          files: ['services/api/src/{server/{changes/feed,metrics/plugin,files/body-watch},play/scoreboard/service}.ts'],
          why: 'They measure the database, uploads, builds and the time since the last poll for changes.',
        },
        {
          files: ['web/src/components/ui/{tooltip-layer,animated-number}.tsx'],
          why: 'They measure how long the pointer rests and the progress of an animation.',
        },
      ],
    },
    {
      reading: 'events',
      why: 'An exception in a listener would end the process. `Guard` of services/http ends only its exchange.',
      places: [
        { files: [...programs, 'operator/**', 'web/**'], why: 'No player connects to them.' },
        {
          files: ['services/{bus,db,cli,kubernetes}/src/**'],
          why: 'They only connect to servers of the operator.',
        },
        { files: ['services/http/src/guard.ts'], why: 'The guard is here.' },
        {
          files: ['services/http/src/termination.ts', 'services/tracing/src/{serialize-error,http-server}.ts'],
          why: 'Signals and failures of the process itself, and the end of a span.',
        },
        {
          files: [
            'services/api/src/{people/accounts/hash-threads,challenges/archives/reading-thread,play/{scoreboard/{board-thread,board-thread-main},certificates/drawing/{thread,thread-main,page},game-archive/{markdown-thread,markdown-thread-main}}}.ts',
            'services/api/src/server/files/decoder/*.ts',
            'services/api/src/instances/lifecycle/{tcp-probe,line-reader,process-runtime,container/engine}.ts',
            'services/api/src/instances/{captures/recorder,lifecycle/kubernetes/operator-client}.ts',
            'services/api/src/server/outgoing/fenced-fetch.ts',
          ],
          why: 'Threads, child processes and connections that the api opens itself.',
        },
      ],
    },
    {
      reading: 'platform log',
      why: 'Lines about people are written by the `record` of their call, those about the platform by `recordSystemAction`.',
      places: [{ files: ['services/api/src/server/logs/**'], why: 'The lines are built here.' }],
    },
  ],
}
