// The watchman visits reported pages and sends the flag as his watchword. He shows the log of his rounds to each client that
// connects.
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { askLedger } from './ask.mjs'

const flag = process.env.FLAG ?? 'flag{the_lamp_is_out}'
const office = `http://${process.env.OFFICE ?? 'office:8080'}`
const port = Number(process.env.PORT ?? 7000)
const host = process.env.HOST ?? '0.0.0.0'

const pauseMs = 500
const visitMs = 5000
const idleMs = 600_000
const maxListeners = 200
const maxLines = 50
const maxUnreadBytes = 65_536

const lines = ['The watchman begins his rounds.']
const listeners = new Set()

function log(line) {
  lines.push(line)
  if (lines.length > maxLines) lines.shift()
  for (const listener of listeners)
    if (listener.writableLength < maxUnreadBytes) listener.write(`${line}\n`)
    else listener.destroy()
}

async function visit(path) {
  const address = new URL(path, office)
  if (address.origin !== office) return log('The watchman does not leave the harbour.')
  const signal = AbortSignal.timeout(visitMs)
  const response = await fetch(address, { headers: { 'x-watchword': flag }, redirect: 'manual', signal })
  await response.body?.cancel()
  log(`Looked at ${address.pathname}: ${response.status}`)
}

const server = createServer((socket) => {
  socket.on('error', () => socket.destroy())
  socket.on('close', () => listeners.delete(socket))
  if (listeners.size >= maxListeners) return socket.end('Too many people are watching the watchman.\n')
  socket.setTimeout(idleMs, () => socket.destroy())
  socket.resume()
  listeners.add(socket)
  socket.write(`${lines.join('\n')}\n`)
})
server.listen(port, host, () => console.log(`Listening on ${host}:${server.address().port}`))

for (;;) {
  try {
    const path = await askLedger('next')
    if (path !== null) await visit(path)
  } catch {
    log('The watchman could not open a door.')
  }
  await pause(pauseMs)
}
