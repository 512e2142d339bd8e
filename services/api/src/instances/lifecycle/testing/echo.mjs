// Test challenge that answers commands such as `flag` and `port`, and echoes every other line.
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

const answers = {
  flag: () => process.env.FLAG ?? 'no flag',
  team: () => process.env.TEAM_ID ?? 'no team',
  env: () => Object.keys(process.env).sort().join(' '),
  pid: () => String(process.pid),
  exit: () => process.exit(1),
}

const answerOf = (line, name) => {
  if (line === 'port') return name
  if (line.startsWith('say ')) process.stdout.write(`${line.slice(4)}\n`)
  return answers[line]?.() ?? line
}

const listen = (port, name) =>
  createServer((socket) => {
    const lines = createInterface({ input: socket }).on('line', (line) => socket.write(`${answerOf(line, name)}\n`))
    // The interface repeats each error of the socket. Without both listeners, a client that resets its connection ends the program.
    for (const source of [socket, lines]) source.on('error', () => socket.destroy())
  }).listen(Number(port), process.env.HOST)

listen(process.env.PORT ?? 1337, 'the entry')
for (const [name, port] of Object.entries(process.env)) if (name.startsWith('PORT_')) listen(port, name.slice(5))
