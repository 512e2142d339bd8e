// A challenge for tests: answers the lines `flag`, `team` and `env` with what it was given, `exit` ends it, others are echoed.
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

const answers = {
  flag: () => process.env.FLAG ?? 'no flag',
  team: () => process.env.TEAM_ID ?? 'no team',
  env: () => Object.keys(process.env).sort().join(' '),
  pid: () => String(process.pid),
  exit: () => process.exit(1),
}

createServer((socket) => {
  socket.on('error', () => socket.destroy())
  createInterface({ input: socket }).on('line', (line) => socket.write(`${answers[line]?.() ?? line}\n`))
}).listen(Number(process.env.PORT ?? 1337), process.env.HOST)
