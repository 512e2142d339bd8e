import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runCommandLine } from './run.ts'

let folder = ''
let lines: string[] = []
let errors: string[] = []
const output = { line: (text: string) => lines.push(text), error: (text: string) => errors.push(text) }
function capstan(...args: string[]) {
  lines = []
  errors = []
  return runCommandLine(args, output)
}
function put(path: string, text: string) {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the command line', () => {
  it('writes a valid capstan.yaml next to each imported challenge', () => {
    put('web/a/challenge.yaml', 'name: A\nflag: ctf{a}\n')
    expect(capstan('import', folder)).toBe(0)
    expect(lines.at(-1)).toBe('rcds: 1 challenges, 1 imported (0 with fields left out), 0 refused')
    expect(readFileSync(join(folder, 'web/a/capstan.yaml'), 'utf8')).toMatch(/^# Imported from web\/a\/challenge\.yaml\n/)
    expect(capstan('validate', folder)).toBe(0)
    expect(lines).toEqual(['1 files, 1 valid'])
  })

  it('writes challenges into separate folders if one descriptor lists several challenges', () => {
    put(
      'pwn/kona.yaml',
      'challenges:\n  - &first {name: A, category: pwn, flags: {rctf: {file: flag.txt}}, attachments: [dist/a]}\n',
    )
    put('pwn/flag.txt', 'ctf{a}')
    put('pwn/dist/a', 'a')
    writeFileSync(join(folder, 'pwn/kona.yaml'), '  - {<<: *first, name: B}\n  - {<<: *first, name: C}\n', { flag: 'a' })
    put('pwn/pwn-b/challenge.yaml', 'name: Other\nflag: ctf{other}\n')
    expect(capstan('import', folder)).toBe(0)
    const named = (path: string) => readFileSync(join(folder, path, 'capstan.yaml'), 'utf8')
    expect(named('pwn')).toContain('title: A')
    expect(named('pwn/pwn-b')).toContain('title: Other')
    expect(named('pwn/pwn-b-pwn')).toContain('title: B')
    expect(named('pwn/pwn-c')).toContain('../dist/a')
    expect(capstan('validate', folder)).toBe(0)
    expect(lines).toEqual(['4 files, 4 valid'])
  })

  it('does not change an existing capstan.yaml without --overwrite', () => {
    put('web/a/challenge.yaml', 'name: A\nflag: ctf{a}\n')
    put('web/a/capstan.yaml', 'mine')
    expect(capstan('import', folder)).toBe(0)
    expect(lines).toContain('web/a/capstan.yaml: exists and was not changed; use --overwrite to replace it')
    expect(readFileSync(join(folder, 'web/a/capstan.yaml'), 'utf8')).toBe('mine')
    expect(capstan('import', '--overwrite', folder)).toBe(0)
    expect(readFileSync(join(folder, 'web/a/capstan.yaml'), 'utf8')).toContain('title: A')
  })

  it('writes nothing with --dry-run and prints a report for programs with --json', () => {
    put('web/a/challenge.yaml', 'name: A\nflag: ctf{a}\nsortWeight: 1\nvalue: 100\n')
    expect(capstan('import', '--json', '--dry-run', folder)).toBe(0)
    expect(JSON.parse(lines.join('\n'))).toMatchObject({
      counts: [{ dialect: 'rcds', total: 1, imported: 1, withWarnings: 1, refused: 0 }],
      challenges: [{ findings: [{ field: 'sortWeight', line: 3, outcome: 'left-out' }] }],
    })
    expect(capstan('validate', folder)).toBe(0)
    expect(lines).toEqual(['0 files, 0 valid'])
  })

  it('reports the faults of a capstan.yaml with their lines', () => {
    put(
      'a/capstan.yaml',
      'apiVersion: capstan/v1\nkind: Challenge\nname: a\ntitle: A\ncategory: Web\ndescription: ""\nflags:\n  - file: flag.txt\n',
    )
    put(
      'b/capstan.yaml',
      'apiVersion: capstan/v1\nkind: Challenge\nname: B!\ntitle: B\ncategory: Web\ndescription: ""\nflags: []\n',
    )
    expect(capstan('validate', folder)).toBe(1)
    expect(lines[0]).toBe('a/capstan.yaml:8: refused: flags[0].file: `flag.txt` does not exist.')
    expect(lines[1]).toMatch(/^b\/capstan\.yaml:3: refused: name: It must match pattern/)
    expect(lines[2]).toBe('2 files, 0 valid')
  })

  it('ignores links when the command reads a folder', () => {
    put('elsewhere/challenge.yaml', 'name: A\nflag: ctf{a}\n')
    mkdirSync(join(folder, 'root'))
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'root', 'link'))
    expect(capstan('import', join(folder, 'root'))).toBe(1)
    expect(errors[0]).toContain('No challenge')
  })

  it('an import names each link that it does not follow', () => {
    put('root/a/challenge.yaml', 'name: A\nflag: ctf{a}\n')
    symlinkSync(join(folder, 'elsewhere.txt'), join(folder, 'root/a/notes.txt'))
    expect(capstan('import', join(folder, 'root'))).toBe(0)
    expect(lines).toContain('a/notes.txt:1: left-out: It is a broken link. Rename or replace it if you need it.')
    expect(capstan('import', '--json', '--dry-run', join(folder, 'root'))).toBe(0)
    expect(JSON.parse(lines.join('')).leftOut).toMatchObject([{ file: 'a/notes.txt', outcome: 'left-out' }])
  })

  it('refuses to write through links', () => {
    const theirs = join(folder, 'theirs')
    put('root/a/challenge.yaml', 'name: A\nflag: ctf{a}\n')
    symlinkSync(theirs, join(folder, 'root/a/capstan.yaml'))
    expect(capstan('import', join(folder, 'root'))).toBe(1)
    expect(lines.join('\n')).toContain('a/capstan.yaml is a link, so no file was written there.')
    expect(capstan('import', '--overwrite', join(folder, 'root'))).toBe(1)
    expect(existsSync(theirs)).toBe(false)
    writeFileSync(theirs, 'mine')
    expect(capstan('import', '--overwrite', join(folder, 'root'))).toBe(1)
    expect(readFileSync(theirs, 'utf8')).toBe('mine')
  })

  it('removes control characters from the output', () => {
    put('web/a/challenge.yaml', 'name: "A"\nflag: ctf{a}\n"\\e[2J\\e]0;title\\a": 1\n')
    expect(capstan('import', '--dry-run', folder)).toBe(0)
    const text = lines.join('\n')
    expect(text).toContain('title')
    expect(text).not.toMatch(/[^\P{Cc}\n]/u)
  })

  it('removes characters that hide text or reverse its direction', () => {
    put('web/a/challenge.yaml', 'name: "A"\nflag: ctf{a}\n"\\e[8mhidden\\u202eturned": 1\n')
    expect(capstan('import', '--dry-run', folder)).toBe(0)
    const text = lines.join('\n')
    expect(text).toContain(' [8mhidden turned')
    expect(text).not.toMatch(/[\p{Cc}\u202e](?<!\n)/u)
  })

  it.each([
    [['plan', '--help'], 'capstan plan'],
    [['apply', '.', '-h'], 'capstan apply'],
    [['help', 'import'], 'capstan import'],
  ])('prints the usage of a single command for %j', (args, usage) => {
    expect(capstan(...args)).toBe(0)
    expect(lines[0]?.split('\n').filter((line) => line.startsWith('  capstan'))).toEqual([expect.stringContaining(usage)])
  })

  it('prints the usage of all commands', () => {
    for (const args of [[], ['help'], ['--help'], ['help', 'nonsense']]) {
      expect(capstan(...args)).toBe(0)
      expect(lines[0]).toContain('capstan login')
      expect(lines[0]).toContain('capstan test')
    }
  })

  it.each([['import'], ['validate'], ['plan'], ['build']])('reports a missing folder: %s', async (command) => {
    expect(await capstan(command, join(folder, 'none'))).toBe(1)
    expect(errors).toEqual([`The folder ${join(folder, 'none')} does not exist.`])
  })

  it('reports the address and the reason if the platform cannot be reached', async () => {
    put(
      'a/capstan.yaml',
      'apiVersion: capstan/v1\nkind: Challenge\nname: a\ntitle: A\ncategory: Web\ndescription: ""\nflags: []\n',
    )
    const environment = { CAPSTAN_URL: 'https://ctf.invalid/', CAPSTAN_TOKEN: 'secret' }
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND ctf.invalid') })
    }
    lines = []
    errors = []
    expect(await runCommandLine(['plan', folder], { ...output, environment, fetch })).toBe(1)
    expect(errors).toEqual(['https://ctf.invalid cannot be reached: getaddrinfo ENOTFOUND ctf.invalid'])
  })

  it.each([
    ['token.expired', 401, 'Create a new token under Administration → API tokens, and pass it to `capstan login`'],
    ['token.revoked', 401, 'Create a new token under Administration → API tokens, and pass it to `capstan login`'],
    ['token.scope', 403, 'Create a token with a wider scope'],
  ])('gives advice if the platform refuses the token: %s', async (code, status, advice) => {
    put('capstan.yaml', 'apiVersion: capstan/v1\nkind: Challenge\nname: a\ntitle: A\ncategory: Web\ndescription: ""\nflags: []\n')
    const environment = { CAPSTAN_URL: 'https://ctf.invalid/', CAPSTAN_TOKEN: 'secret' }
    const fetch = async () => Response.json({ title: 'It does not do', status, code }, { status })
    lines = []
    errors = []
    expect(await runCommandLine(['plan', folder], { ...output, environment, fetch })).toBe(1)
    expect(errors).toEqual([expect.stringContaining(`It does not do (${status}, ${code}): ${advice}`)])
  })

  it('reports the address of the platform if no connection to its IP addresses succeeds', async () => {
    const environment = { CAPSTAN_URL: 'https://ctf.invalid/', CAPSTAN_TOKEN: 'secret' }
    const fetch = async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) })
    }
    put('capstan.yaml', 'apiVersion: capstan/v1\nkind: Challenge\nname: a\ntitle: A\ncategory: Web\ndescription: ""\nflags: []\n')
    errors = []
    expect(await runCommandLine(['plan', folder], { ...output, environment, fetch })).toBe(1)
    expect(errors).toEqual(['https://ctf.invalid cannot be reached: ECONNREFUSED'])
  })

  it('gives advice if a file cannot be written', () => {
    put('file', 'in the way')
    errors = []
    expect(runCommandLine(['init', join(folder, 'file', 'game')], { ...output, environment: { HOME: folder } })).toBe(1)
    expect(errors).toEqual([expect.stringMatching(/file.*: not a directory\.$/)])
    const denied = Object.assign(new Error('EROFS'), { errno: -30, code: 'EROFS', syscall: 'open', path: '/game/capstan.yaml' })
    errors = []
    const line = () => {
      throw denied
    }
    put('a/challenge.yaml', 'name: A\nflag: ctf{a}\n')
    expect(runCommandLine(['import', '--dry-run', folder], { ...output, line })).toBe(1)
    expect(errors).toEqual([
      '/game/capstan.yaml: read-only file system. Check the permissions and the free space there, or use another folder.',
    ])
  })

  it.each([
    [['import'], 'Specify exactly one folder or archive.'],
    [['import', '--game', '1', '.'], '--game and --yes apply only to archives.'],
    [['import', '--wrong', '.'], "Unknown option '--wrong'"],
  ])('the command fails if its arguments are invalid: %j', (args, message) => {
    expect(capstan(...args)).toBe(2)
    expect(errors[0]).toContain(message)
    expect(errors[0]).toContain('capstan import')
  })

  it('lists the commands in a sentence if the given command is unknown', () => {
    expect(capstan('aply')).toBe(2)
    expect(errors).toEqual([
      'Unknown command: aply. The commands are login, games, init, import, validate, lint, build, plan, apply, pull, export, test; `capstan help` describes them.',
    ])
  })

  it('follows links inside the folder, but not back into a parent folder', () => {
    put('a/challenge.yaml', 'name: A\nflag: ctf{a}\nprovide: [shared/x.txt, gone.txt, "shared/*.md"]\n')
    put('common/x.txt', 'x')
    put('common/y.md', 'y')
    symlinkSync('../common', join(folder, 'a/shared'))
    symlinkSync('..', join(folder, 'common/up'))
    symlinkSync('nothing', join(folder, 'a/gone.txt'))
    expect(capstan('import', folder)).toBe(0)
    expect(readFileSync(join(folder, 'a/capstan.yaml'), 'utf8')).toContain('file: shared/y.md')
    expect(capstan('validate', folder)).toBe(1)
    expect(lines[0]).toContain('`a/gone.txt` is a broken link and is not read.'.replace('a/', ''))
  })

  const ownText = (name: string, more = '') =>
    `apiVersion: capstan/v1\nkind: Challenge\nname: ${name}\ntitle: T\ncategory: Web\ndescription: ''\nflags: [{ text: f }]\n${more}`

  it('validate reports everything that plan would refuse', () => {
    put('web/a/capstan.yaml', ownText('a', 'attachments: [{ file: x/n.txt }, { file: y/n.txt }]\n'))
    put('web/a/x/n.txt', '1')
    put('web/a/y/n.txt', '2')
    put('web/b/capstan.yaml', ownText('a'))
    put('web/c/capstan.yaml', ownText('c', 'container: { image: x, ports: [{ port: 80, guarded: true }] }\n'))
    put('web/d/capstan.yaml', ownText('d', 'container: { image: x, ports: [{ port: 80 }], environment: { A: { secret: B } } }\n'))
    put('web/e/capstan.yaml', ownText('e').replace('text: f', 'pattern: "flag(?=x)"'))
    expect(capstan('validate', folder)).toBe(1)
    expect(lines).toEqual([
      'web/b/capstan.yaml:1: refused: name: web/a/capstan.yaml has the same name.',
      'web/a/capstan.yaml:1: refused: attachments: Two attachments have the same name. Rename one with `as`.',
      expect.stringContaining('web/c/capstan.yaml:1: refused: container.ports[0].guarded'),
      expect.stringContaining('web/e/capstan.yaml:1: refused: flags[0].pattern: The pattern is not valid RE2:'),
      '5 files, 1 valid',
    ])
  })

  it('exports challenges as compose files that are imported as the same challenges', () => {
    const page = 'image: nginx, ports: [{ port: 80, speaks: http }], flag: { environment: FLAG }, memoryMb: 256'
    const services = ownText('a', `containers: [{ name: page, ${page} }, { name: db, image: redis }]\n`)
    put('web/a/capstan.yaml', services.replace('text: f', 'template: "ctf{[GUID]}"'))
    put('web/b/capstan.yaml', ownText('b'))
    put('web/c/capstan.yaml', ownText('c', `container: { ${page} }\n`))
    put('web/c/docker-compose.yml', 'services: {}\n')
    put('web/d/capstan.yaml', ownText('d', 'container: { image: "", ports: [{ port: 80 }] }\n'))
    expect(capstan('export', folder)).toBe(2)
    expect(capstan('export', '--compose', folder)).toBe(1)
    expect(lines).toEqual([
      'web/a/compose.yaml',
      'web/c/docker-compose.yml: exists and was not changed; use --overwrite to write web/c/compose.yaml',
    ])
    expect(errors).toEqual(['web/d/capstan.yaml: A container has neither an image nor a build, so it is not exported.'])
    expect(parse(readFileSync(join(folder, 'web/a/compose.yaml'), 'utf8')).services).toMatchObject({
      page: {
        image: 'nginx',
        environment: { FLAG: expect.stringContaining('FLAG:-local-flag') },
        ports: ['127.0.0.1:8080:80'],
        mem_limit: '256m',
      },
      db: { image: 'redis' },
    })
    expect(capstan('export', '--compose', '--only', 'a', folder)).toBe(0)
    expect(lines).toEqual(['web/a/compose.yaml: exists and was not changed; use --overwrite to write web/a/compose.yaml'])
    const before = parse(readFileSync(join(folder, 'web/a/compose.yaml'), 'utf8'))
    rmSync(join(folder, 'web/a/capstan.yaml'))
    expect(capstan('import', folder)).toBe(0)
    expect(capstan('export', '--compose', '--overwrite', '--only', 'a', folder)).toBe(0)
    expect(parse(readFileSync(join(folder, 'web/a/compose.yaml'), 'utf8'))).toEqual(before)
  })

  it('validates only the chosen challenges', () => {
    put('web/first/capstan.yaml', ownText('one'))
    put('web/second/capstan.yaml', ownText('Two!'))
    put('pwn/third/capstan.yaml', ownText('three', 'odd: 1\n'))
    const summary = (...only: string[]) => {
      const code = capstan('validate', ...only.flatMap((pattern) => ['--only', pattern]), folder)
      return [code, lines.at(-1)]
    }
    expect(summary()).toEqual([1, '3 files, 1 valid'])
    expect(summary('one')).toEqual([0, '1 files, 1 valid'])
    expect(summary('web/*')).toEqual([1, '2 files, 1 valid'])
    expect(summary('o*', 'pwn/third')).toEqual([1, '2 files, 1 valid'])
    expect(capstan('validate', '--only', 'none', folder)).toBe(1)
    expect(errors).toEqual(['No challenge matches none.'])
  })

  it('groups the findings of an import by reason, with the groups that need an action first', () => {
    const text = (name: string, more: string) =>
      `name: ${name}\nflag: ctf{${name}}\nvalue: 1\ncategory: web\nsortWeight: 1\n${more}`
    put('web/a/challenge.yaml', text('a', 'odd: 1\n'))
    put('web/b/challenge.yaml', text('b', 'odd: 1\n'))
    put('web/c/challenge.yaml', 'name: "c\nflag: x\n')
    expect(capstan('import', '--dry-run', folder)).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(/^web\/c\/challenge\.yaml:\d: refused/),
      '2 × left-out: This field is unknown. If you need it, set its counterpart in `capstan.yaml`.',
      '  web/a/challenge.yaml:6: odd',
      '  web/b/challenge.yaml:6: odd',
      '2 notes need no action; --verbose prints them.',
      'rcds: 3 challenges, 2 imported (2 with fields left out), 1 refused',
    ])
    expect(capstan('import', '--dry-run', '--verbose', folder)).toBe(1)
    expect(lines).toContain('web/b/challenge.yaml:5: left-out: sortWeight: Players choose the order.')
  })

  it('enables all challenges that have a flag with --enable-all', () => {
    put('web/a/challenge.yaml', 'name: a\nflag: b\nvisible: false\n')
    put('web/c/challenge.yaml', 'name: c\ndescription: d\n')
    expect(capstan('import', '--enable-all', folder)).toBe(0)
    expect(readFileSync(join(folder, 'web/a/capstan.yaml'), 'utf8')).toContain('enabled: true')
    expect(readFileSync(join(folder, 'web/c/capstan.yaml'), 'utf8')).toContain('enabled: false')
  })
})
