import { describe, expect, it } from 'vitest'
import { checkOf } from './health.ts'

describe('the check of a health command', () => {
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
    ['mysqladmin ping -h localhost', { port: 3306 }],
    ['pg_isready -U ctf', { port: 5432 }],
    ['redis-cli ping', { port: 6379 }],
    [`curl http://localhost/${'a'.repeat(300)}`, undefined],
    ['./check', undefined],
  ])('of `%s` is %j', (command, check) => {
    expect(checkOf(command)).toEqual(check)
  })

  it('takes linear time for a long command', () => {
    expect(checkOf('nc http://localhost '.repeat(50_000))).toEqual({ port: 80 })
  })
})
