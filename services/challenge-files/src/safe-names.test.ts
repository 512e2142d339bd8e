import { describe, expect, test, vi } from 'vitest'
import {
  chooseChallengeFolder,
  chooseFreeName,
  isReservedName,
  normalizePathCase,
  safeFileName,
  type TakenNames,
} from './safe-names.ts'

describe('file names that have a meaning for tools', () => {
  test.each([
    ...['capstan.yaml', 'Capstan.YML', 'capstan.json', 'capstan.lock.json', 'CAPSTAN.yaml. ', 'capstan.yaml...'],
    ...['ｃａｐｓｔａｎ.yaml', 'cap\u200bstan.yaml', 'capſtan.yaml', ' capstan.yaml'],
    ...['challenge.yml', 'Chall.yaml', 'kona.toml', 'klodd.yaml', 'ctfcli.yml', 'rcds.yaml', 'challenges.csv'],
    ...['Dockerfile', 'dockerfile.dev', 'web.Dockerfile', 'Containerfile', '.dockerignore', 'Dockerfile.capstan'],
    ...['compose.yaml', 'docker-compose.override.yml', 'docker-bake.hcl'],
    ...['.git', '.gitattributes', '.g\u200cit', 'GIT~1', '.npmrc', '.env', '.env.local', '.vscode', '.envrc'],
    ...['Makefile', 'GNUmakefile', 'makefile.', 'Justfile', 'package.json', 'Rakefile', 'setup.py', 'conftest.py', 'build.rs'],
    ...[
      'binding.gyp',
      'common.gypi',
      'Directory.Build.props',
      'directory.build.TARGETS',
      'Directory.Packages.props',
      'NuGet.Config',
    ],
    ...['app.csproj', 'all.sln', 'global.json', 'Rakefile.rb', 'db.rake', 'Gruntfile.js', 'gulpfile.ts', 'Taskfile.dist.yml'],
    ...['lefthook.yml', 'lefthook-local.toml', 'mise.toml', 'devbox.json', 'ansible.cfg', 'main.tf', 'vars.tf.json', 'x.tfvars'],
    ...['terragrunt.hcl', 'dune', 'dune-project', 'mix.exs', 'rebar.config', 'BUCK', 'TARGETS', 'WORKSPACE.bzlmod', 'Kbuild'],
    ...[
      'Kconfig',
      'python311._pth',
      'python._pth',
      'pyvenv.cfg',
      'manage.py',
      'tasks.py',
      'uv.toml',
      'poetry.lock',
      'build.mill',
    ],
    ...[
      'any.nix',
      'rust-toolchain',
      'Package.swift',
      'stack.yaml',
      'Setup.hs',
      'gem.gemspec',
      'ＢＵＣＫ',
      'du\u200bne',
      'Kbuild. ',
    ],
    ...['Con', 'aux.c', 'NUL', 'com1.txt', 'LPT¹', 'prn .log', 'CONIN$', 'conout$.txt'],
  ])('a file with the name %j is stored under another name', (name) => {
    const stored = safeFileName(name)
    expect(isReservedName(stored)).toBe(false)
    expect(normalizePathCase(stored)).not.toBe(normalizePathCase(name))
  })

  test.each([
    'notes.txt',
    'capstan.png',
    'my-capstan.yaml',
    'auxiliary.c',
    'console.log',
    'make.txt',
    'build.zip',
    'gitlog.txt',
    'main.tfstate.txt',
    'dunes.png',
    'buck.jpg',
    'manage.pyc',
    'targets.txt',
    'project.zip',
    'flow.tflite',
    'main.rb',
    '旗.zip',
  ])('the file name %j gets a prefix if it starts with `capstan.`, and otherwise remains unchanged', (name) => {
    expect(safeFileName(name)).toBe(name.startsWith('capstan.') ? `_${name}` : name)
  })
})

test.each([
  ['aux.c', '_aux.c'],
  ['invoice\u202efdp.exe', 'invoice_fdp.exe'],
  ['report. ', 'report_'],
  ['..', '__'],
  ['../../etc', '_.._.._etc'],
  ['C:\\x|y?', 'C__x_y_'],
  ['line\nbreak\u0000', 'line_break_'],
  ['', '_'],
  ['  ', '_'],
  ['\ud800.bin', '_.bin'],
  ['Finals 2030', 'Finals 2030'],
  ['👩‍💻.png', '👩‍💻.png'],
])('the file %j is stored as %j', (name, written) => {
  expect(safeFileName(name)).toBe(written)
})

test('a long name is shortened to the limit of file systems but retains its extension', () => {
  const written = safeFileName(`${'旗'.repeat(200)}.tar.gz`)
  expect(Buffer.byteLength(written)).toBeLessThanOrEqual(200)
  expect(written).toMatch(/旗\.tar\.gz$/)
})

test('a name counts as used if another name differs only by case or Unicode composition', () => {
  const taken: TakenNames = new Map()
  const names = ['Read.me', 'read.ME', 'caf\u00e9', 'cafe\u0301', 'ΟΔΟΣ', 'οδος', 'read.me']
  expect(names.map((name) => chooseFreeName(name, taken))).toEqual([
    'Read.me',
    '2-read.ME',
    'caf\u00e9',
    '2-cafe\u0301',
    'ΟΔΟΣ',
    '2-οδος',
    '3-read.me',
  ])
})

test('a name with a number is not chosen if another file has that name', () => {
  const taken: TakenNames = new Map()
  const names = ['3-a', 'a', 'A', 'a', '3-a', 'a']
  expect(names.map((name) => chooseFreeName(name, taken))).toEqual(['3-a', 'a', '2-A', '4-a', '2-3-a', '5-a'])
})

test('the number of comparisons for a name does not grow with the number of files with this name', () => {
  const taken: TakenNames = new Map()
  const compare = vi.spyOn(taken, 'has')
  for (let file = 1; file <= 100; file++) chooseFreeName(file % 2 === 0 ? 'flag.zip' : 'FLAG.zip', taken)
  expect([taken.size, compare.mock.calls.length]).toEqual([100, 199])
})

test.each([
  ['con', 'con-1'],
  ['nul', 'nul-1'],
  ['com7', 'com7-1'],
  ['images', 'images-1'],
  ['files', 'files-1'],
  ['taken', 'taken-2'],
  ['console', 'console'],
])('the challenge %j is stored in the folder %j', (name, folder) => {
  expect(chooseChallengeFolder(name, (each) => each === 'taken' || each === 'taken-1')).toBe(folder)
})
