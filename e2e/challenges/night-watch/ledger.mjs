// The ledger: notes by name, and a queue of pages that the watchman has not visited yet. The ledger answers one command per
// connection.
import { createServer } from 'node:net'

const port = Number(process.env.PORT ?? 6000)
const host = process.env.HOST ?? '0.0.0.0'

const maxNotes = 500
const maxReports = 50
const maxLineLength = 16_384
const idleMs = 5000

const notes = new Map([
  ['welcome', 'All lamps lit, all moorings checked. If you see something, report it.'],
  ['gale', 'Wind north-west, seven. The office window rattles. Nothing to report.'],
])
const reports = []

const commands = {
  read: (name) => notes.get(name) ?? null,
  write: (name, text) => {
    if (!notes.has(name) && notes.size >= maxNotes) return false
    notes.set(name, text)
    return true
  },
  report: (path) => {
    if (reports.length >= maxReports) return false
    reports.push(path)
    return true
  },
  next: () => reports.shift() ?? null,
}

function answer(line) {
  try {
    const [name, ...words] = JSON.parse(line)
    return Object.hasOwn(commands, name) ? commands[name](...words.map(String)) : null
  } catch {
    return null
  }
}

const server = createServer((socket) => {
  let text = ''
  socket.setEncoding('utf8').setTimeout(idleMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    text += chunk
    const end = text.indexOf('\n')
    if (end >= 0) socket.end(JSON.stringify(answer(text.slice(0, end))))
    else if (text.length > maxLineLength) socket.destroy()
  })
})
server.listen(port, host, () => console.log(`Listening on ${host}:${server.address().port}`))
