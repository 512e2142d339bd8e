import { describe, expect, it } from 'vitest'
import { commandOfHealthCheck, readinessCheckOfCommand } from './health.ts'

describe('a health check of a compose file', () => {
  it.each<[string, object | undefined]>([
    ['CMD curl -f http://localhost:8080/health', { port: 8080, path: '/health' }],
    ['curl -fsS "http://127.0.0.1/" || exit 1', { port: 80, path: '/' }],
    ["wget -qO- 'http://[::1]:3000/ready?deep=1'; true", { port: 3000, path: '/ready?deep=1' }],
    ['python -c "import urllib.request; urllib.request.urlopen(\'http://localhost:5000\')"', { port: 5000 }],
    ['curl http://db:8080/health', undefined],
    ['curl http://localhost.example.org/', undefined],
    ['nc -z localhost 1337', { port: 1337 }],
    ['sh -c "/bin/nc -zv -w 2 127.0.0.1 9000 || exit 1"', { port: 9000 }],
    ['nc -z db 1337', undefined],
    ['bash -c "echo > /dev/tcp/localhost/31337"', { port: 31_337 }],
    ['mysqladmin ping -h localhost', undefined],
    [`curl http://localhost/${'a'.repeat(300)}`, undefined],
    ['./check', undefined],
  ])('a health check with the command `%s` becomes the readiness check %j', (command, check) => {
    expect(readinessCheckOfCommand(command)).toEqual(check)
  })

  it.each<[string, unknown, string[] | undefined]>([
    ['a list', ['CMD', 'pg_isready', '-U', 'ctf db'], ['pg_isready', '-U', 'ctf db']],
    ['a list for the shell', ['CMD-SHELL', 'pg_isready || exit 1'], ['/bin/sh', '-c', 'pg_isready || exit 1']],
    ['a text', 'redis-cli "ping"', ['/bin/sh', '-c', 'redis-cli "ping"']],
    ['no check', ['NONE'], undefined],
    ['an empty text', '', undefined],
    ['an empty list', ['CMD'], undefined],
  ])('the command of a health check becomes a list of words if it is written as %s', (_, written, words) => {
    expect(commandOfHealthCheck(written)).toEqual(words)
  })

  it('a health check with a long command is read in linear time', () => {
    expect(readinessCheckOfCommand('nc http://localhost '.repeat(50_000))).toEqual({ port: 80 })
  })
})
