import { describe, expect, test } from 'vitest'
import { analyzeFileImports } from './analyze-file.ts'
import { createImportCheck, findUnmatchedPatterns, type Rules } from './import-check.ts'
import { rules } from './rules.ts'

function faultsOf(judged: Rules, file: string, text: string) {
  return createImportCheck(judged)(file, analyzeFileImports(file, text)).map((fault) => `${fault.line}: ${fault.text}`)
}

describe('the analysis of a file', () => {
  const modulesOf = (text: string) =>
    analyzeFileImports('example.tsx', text).imports.map(({ module, line }) => `${line} ${module}`)
  const readingsOf = (text: string) => analyzeFileImports('example.ts', text).readings.map(({ what }) => what)

  test('finds every form of import, including imports of types', () => {
    const text = `import a from './a.ts'
import type { B } from './b.ts'
export * from './c.ts'
export { d } from './d.ts'
const e = () => import('./e.ts')
type F = import('./f.ts').F
import './g.css'
const View = () => <p>{String(import.meta)}</p>`
    expect(modulesOf(text)).toEqual(['1 ./a.ts', '2 ./b.ts', '3 ./c.ts', '4 ./d.ts', '5 ./e.ts', '6 ./f.ts', '7 ./g.css'])
  })

  test.each([
    ['process.env.HOME', 'environment'],
    ["globalThis.process['env']", 'environment'],
    ['const { env } = process', 'environment'],
    ["import { env } from 'node:process'", 'environment'],
    ['new Date()', 'time of day'],
    ['Date()', 'time of day'],
    ['const now = Date.now', 'time of day'],
    ['performance.now()', 'stopwatch'],
    ['process.hrtime.bigint()', 'stopwatch'],
    ["deps.platformLog.write({ name: 'System' })", 'platform log'],
    ["platformLog.write({ name: 'System' })", 'platform log'],
    ["socket.on('data', take)", 'events'],
    ['socket.once(event, () => {})', 'events'],
    ["request['prependListener']('end', end)", 'events'],
    ['stream.setTimeout(1_000, cancel)', 'events'],
  ])('finds that %s reads the %s', (text, what) => {
    expect(readingsOf(text)).toEqual([what])
  })

  test.each([
    'new Date(0)',
    'clock.now()',
    'process.argv',
    'const { now } = clock',
    "import { argv } from 'node:process'",
    'env.HOME',
    "guard.on(socket, 'data', take)",
    'setTimeout(act, 5)',
    'socket.setTimeout(0)',
  ])('finds that %s reads no environment, time or event', (text) => {
    expect(readingsOf(text)).toEqual([])
  })
})

test('the check of imports reports patterns that match no file, and checks each alternative in braces separately', () => {
  const table: Rules = {
    tests: ['**/*.test.ts'],
    packages: [{ package: 'low', folder: 'low', mayImport: [], why: 'Low is below.' }],
    zones: [{ zone: 'parts', files: ['low/{a,old/{b,c}}.ts'], why: 'Parts are parts.' }],
    readings: [{ reading: 'stopwatch', why: 'Times are given.', places: [{ files: ['low/clock.ts'], why: 'The clock.' }] }],
  }
  expect(findUnmatchedPatterns(table, ['low/a.ts', 'low/old/c.ts', 'low/a.test.ts'])).toEqual(['low/old/b.ts', 'low/clock.ts'])
})

describe('the import check with sample rules', () => {
  const sample: Rules = {
    tests: ['**/*.test.ts'],
    packages: [
      { package: 'low', folder: 'low', mayImport: [], why: 'Low is below.' },
      { package: 'high', folder: 'high', mayImport: ['low'], why: 'High is above.' },
      { package: 'all', folder: 'all', mayImport: 'all', layers: ['floor', 'roof'], why: 'All has everything.' },
    ],
    zones: [
      { zone: 'stores', files: ['high/src/*/store.ts'], mayImport: ['low'], ownFolderOnly: true, why: 'One store each.' },
      {
        zone: 'rooms',
        files: ['high/src/rooms/**'],
        mayImport: ['shared', 'low'],
        apartBelow: 'high/src/rooms',
        why: 'Rooms are apart.',
      },
      { zone: 'shared', files: ['high/src/shared/**'], why: 'Below the rooms.' },
      { zone: 'rows', files: ['low/src/rows/**'], onlyFor: ['stores'], why: 'Rows are stored.' },
      { zone: 'sql', modules: ['sql-kit'], onlyFor: ['stores'], why: 'Statements are in stores.' },
    ],
    readings: [
      { reading: 'environment', why: 'Read at the start.', places: [{ files: ['high/src/main.ts'], why: 'The start.' }] },
    ],
  }
  const importing = (file: string, ...modules: string[]) =>
    faultsOf(sample, file, modules.map((module) => `import '${module}'`).join('\n'))

  test('the import check reports an import of a package that is missing from `mayImport`', () => {
    expect(importing('high/src/a.ts', '@capstan/low/b', '../../low/src/b.ts', './c.ts', 'node:fs', 'other')).toEqual([])
    expect(importing('all/a.ts', '@capstan/high/b', '@capstan/low/b')).toEqual([])
    expect(importing('low/src/a.ts', 'node:fs', '@capstan/high/b')).toEqual([
      '2: imports high/src/b.ts: low must not import high. Low is below.',
    ])
    expect(importing('low/src/a.test.ts', '../../high/src/b.ts')).toEqual([
      '1: imports high/src/b.ts: low must not import high. Low is below.',
    ])
  })

  test('lets a layer import only lower layers, and lets files beside the layers import all layers', () => {
    expect(importing('all/src/roof/a.ts', './b.ts', '../floor/c.ts', '@capstan/low/d')).toEqual([])
    expect(importing('all/src/main.ts', './roof/a.ts', './floor/a.ts')).toEqual([])
    expect(importing('all/src/floor/a.test.ts', '../roof/a.ts')).toEqual([])
    const rule = 'an area of all imports only areas below it: floor < roof.'
    expect(importing('all/src/floor/a/a.ts', '../../roof/b.ts', '../../main.ts')).toEqual([
      `1: imports all/src/roof/b.ts: ${rule}`,
      `2: imports all/src/main.ts: ${rule}`,
    ])
  })

  test('reports a folder that has no row in the table', () => {
    expect(importing('new/src/a.ts', './b.ts')).toEqual(['1: is not in any package of scripts/imports/rules.ts'])
    expect(importing('all/a.ts', '../new/src/b.ts')).toEqual([
      '1: imports new/src/b.ts, which is not in any package of scripts/imports/rules.ts',
    ])
  })

  test('the import check reports each import that the field `mayImport` of a zone does not permit', () => {
    expect(importing('high/src/rooms/a/a.ts', './b.ts', '../../shared/c.ts', '@capstan/low/d')).toEqual([])
    expect(importing('high/src/rooms/a/a.ts', '../../main.ts')).toEqual([
      '1: imports high/src/main.ts: rooms must not import others. Rooms are apart.',
    ])
  })

  test('the import check reports an import between two subfolders of the folder in `apartBelow`', () => {
    expect(importing('high/src/rooms/a/a.ts', '../b/b.ts')).toEqual([
      '1: imports high/src/rooms/b/b.ts: rooms do not import each other. Rooms are apart.',
    ])
    expect(importing('high/src/main.ts', './rooms/a/a.ts', './rooms/b/b.ts')).toEqual([])
  })

  test('the import check reports each import that the field `onlyFor` of a zone does not permit', () => {
    expect(importing('high/src/a/store.ts', '@capstan/low/rows/a', 'sql-kit', 'sql-kit/pg')).toEqual([])
    expect(importing('high/src/a/service.ts', '@capstan/low/rows/a', 'sql-kit/pg', 'sql-kitten')).toEqual([
      '1: imports low/src/rows/a.ts: rows are only for stores. Rows are stored.',
      '2: imports sql-kit/pg: sql are only for stores. Statements are in stores.',
    ])
  })

  test('with `ownFolderOnly`, the import check reports an import of a file in another folder', () => {
    expect(importing('high/src/a/service.ts', './store.ts')).toEqual([])
    expect(importing('high/src/b/service.ts', '../a/store.ts')).toEqual([
      '1: imports high/src/a/store.ts: stores are used in their own folder only. One store each.',
    ])
  })

  test('the import check reports nothing in test files', () => {
    expect(importing('high/src/b/service.test.ts', '../a/store.ts', '@capstan/low/rows/a', 'sql-kit')).toEqual([])
    expect(faultsOf(sample, 'high/src/a.test.ts', 'process.env.HOME')).toEqual([])
  })

  test('reports each read of global state that no row of the rules permits', () => {
    expect(faultsOf(sample, 'high/src/main.ts', 'process.env.HOME')).toEqual([])
    expect(faultsOf(sample, 'high/src/a.ts', '\nprocess.env.HOME')).toEqual(['2: reads the environment. Read at the start.'])
  })
})

describe('the import check with the rules of this repository', () => {
  test.each([
    ['services/contract/src/teams.ts', "import '@capstan/db/client'", 'contract must not import db'],
    ['services/db/src/client.ts', "import '@capstan/bus/wire'", 'db must not import bus'],
    ['services/gateway/src/gateway.ts', "import '@capstan/api/people/teams/policy'", 'gateway must not import api'],
    ['services/pages/src/app.ts', "import '@capstan/bus/wire'", 'pages must not import bus'],
    ['services/api/src/people/teams/service.ts', "import '../../../../gateway/src/gateway.ts'", 'api must not import gateway'],
    ['operator/src/operator.ts', "import '@capstan/contract/limits'", 'operator must not import contract'],
    ['web/src/lib/http.ts', "import '@capstan/api/server/config'", 'web must not import api'],
    ['e2e/support/player.ts', "import '@capstan/db/client'", 'e2e must not import db'],
    ['services/api/src/rules/scoring/ranking.ts', "import type { Clock } from '../../server/http/clock.ts'", 'areas below it'],
    ['services/api/src/games/editing/service.ts', "import '../../challenges/editing/service.ts'", 'areas below it'],
    ['services/api/src/rules/flags/judge.ts', "import '@capstan/db/client'", 'rules must not import db'],
    ['services/api/src/people/teams/service.ts', "import '@capstan/new/a'", '@capstan/new/a, which is not in any package'],
    ['services/api/src/people/teams/service.ts', "import '../users/repository.ts'", 'used in their own folder only'],
    [
      'services/api/src/play/submissions/submit.ts',
      "import '../../challenges/editing/rejudge-repository.ts'",
      'used in their own folder only',
    ],
    [
      'services/api/src/people/teams/service.ts',
      "import type { teams } from '@capstan/db/schema/teams'",
      'tables are only for repositories',
    ],
    ['services/api/src/people/teams/service.ts', "import { sql } from 'drizzle-orm'", 'statements are only for repositories'],
    ['scripts/standalone.ts', "import '@capstan/db/schema/teams'", 'tables are only for repositories'],
    ['services/gateway/src/gateway.ts', "import './testing/fake-backend.ts'", 'tools of tests are only for data'],
    [
      'services/kubernetes/src/informer.ts',
      "import '@capstan/challenge-instance/names'",
      'kubernetes must not import challenge-instance',
    ],
    ['web/src/features/teams/team-card.tsx', "import '../games/game-card.tsx'", 'web features do not import each other'],
    ['web/src/features/teams/team-card.tsx', "import '../../app/router.tsx'", 'web features must not import web entries'],
    ['web/src/routes/teams.tsx', "import '../app/router.tsx'", 'web routes must not import web entries'],
    [
      'web/src/components/ui/dialog.tsx',
      "import '../../features/teams/team-card.tsx'",
      'components must not import web features',
    ],
    ['web/src/lib/http.ts', "import '../components/ui/dialog.tsx'", 'web ground must not import web components'],
    ['services/api/src/server/mail/links.ts', 'process.env.HOME', 'reads the environment'],
    ['services/api/src/people/teams/policy.ts', 'new Date()', 'reads the time of day'],
    ['web/src/features/teams/team-card.tsx', 'Date.now()', 'reads the time of day'],
    ['services/api/src/rules/scoring/ranking.ts', 'performance.now()', 'reads the stopwatch'],
    ['services/api/src/people/teams/routes.ts', "app.deps.platformLog.write({ name: 'System' })", 'reads the platform log'],
  ])('reports that %s contains %s: %s', (file, text, fault) => {
    expect(faultsOf(rules, file, text)).toEqual([expect.stringContaining(fault)])
  })

  test.each([
    ['services/api/src/people/teams/repository.ts', "import '@capstan/db/schema/teams'\nimport { sql } from 'drizzle-orm'"],
    ['services/api/src/people/teams/service.ts', "import './repository.ts'\nimport '../users/service.ts'"],
    [
      'services/api/src/people/teams/routes.int.test.ts',
      "import '@capstan/db/schema/teams'\nimport '../users/repository.ts'\nnew Date()",
    ],
    ['services/api/src/server.ts', 'process.env.HOME\nnew Date()'],
    ['web/src/routes/teams.tsx', "import '../features/teams/team-card.tsx'\nimport '../features/games/game-card.tsx'"],
  ])('accepts the file %s with the content %s', (file, text) => {
    expect(faultsOf(rules, file, text)).toEqual([])
  })
})
