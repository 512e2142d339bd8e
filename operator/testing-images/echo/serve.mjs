// Echo server with commands. `flag` and `team` return environment variables, `exit` ends the process, and `fill` writes
// 96 MB to its file system. `dial HOST PORT` reports whether a connection opens within five seconds. `get URL` returns
// the response of an HTTP server. `reverse ADDRESS` and `resolve NAME` query the name servers and return `none` if
// there is no result. `pour MB` sends this many MB (of 1024 x 1024 bytes) and closes the connection.
import { Resolver } from 'node:dns/promises'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

const answers = {
  flag: () => process.env.FLAG ?? 'no flag',
  team: () => process.env.TEAM_ID ?? 'no team',
  exit: () => process.exit(1),
  fill: () => {
    writeFileSync('/tmp/full', Buffer.alloc(96 * 1024 * 1024, 1))
    return 'filled'
  },
}

function dial(host, port, answer) {
  const target = connect({ host, port: Number(port), timeout: 5000 })
  const end = (word) => {
    target.destroy()
    answer(word)
  }
  target.once('connect', () => end('open'))
  target.once('timeout', () => end('closed'))
  target.once('error', () => end('closed'))
}

const resolver = new Resolver({ timeout: 5000, tries: 1 })
const look = (names, answer) =>
  names.then(
    (found) => answer(found.join(' ')),
    ({ code }) => answer(code === 'ENOTFOUND' || code === 'ENODATA' ? 'none' : code),
  )

/** Yields `count` MB in chunks of 1 MB. */
function* megabytes(count) {
  for (let sent = 0; sent < count; sent += 1) yield Buffer.alloc(1024 * 1024, sent)
}

createServer((socket) => {
  const lines = createInterface({ input: socket })
  // The interface repeats each error of the socket. Without both listeners, a client that resets its connection ends the program.
  for (const source of [socket, lines]) source.on('error', () => socket.destroy())
  lines.on('line', (line) => {
    const say = (text) => socket.write(`${text}\n`)
    const [word, host, port] = line.split(' ')
    if (word === 'pour') Readable.from(megabytes(Number(host))).pipe(socket)
    else if (word === 'dial') dial(host, port, say)
    else if (word === 'reverse') look(resolver.reverse(host), say)
    else if (word === 'resolve') look(resolver.resolve4(host), say)
    else if (word === 'get')
      fetch(host).then(
        (response) => say(String(response.status)),
        () => say('refused'),
      )
    else say(answers[line]?.() ?? line)
  })
}).listen(1337)

process.on('SIGTERM', () => process.exit(0))
