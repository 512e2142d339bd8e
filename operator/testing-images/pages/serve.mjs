// Answers /flag with what the environment holds, and a WebSocket with the same as its one message. /login sets a cookie and leads to
// /account, which greets whoever has it; /upload answers with the number of bytes it was sent.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'

const flag = process.env.FLAG ?? 'no flag'
const answers = {
  '/flag': (_request, response) => response.end(flag),
  '/login': (_request, response) =>
    response.writeHead(302, { location: '/account', 'set-cookie': 'crew=mate; Path=/; HttpOnly' }).end(),
  '/account': ({ headers }, response) => response.end(headers.cookie === 'crew=mate' ? 'Welcome aboard' : 'Who are you?'),
  '/upload': (request, response) => {
    let bytes = 0
    request.on('data', (chunk) => {
      bytes += chunk.length
    })
    request.on('end', () => response.end(String(bytes)))
  },
}

const server = createServer((request, response) => {
  const answer = answers[new URL(request.url, 'http://pages').pathname]
  if (answer) answer(request, response)
  else response.writeHead(404).end()
})

server.on('upgrade', ({ headers }, socket) => {
  socket.on('error', () => socket.destroy())
  // RFC 6455, section 4.2.2.
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  // One text, shorter than 126 bytes; then a close. What the client says is dropped.
  socket.write(Buffer.concat([Buffer.from([0x81, flag.length]), Buffer.from(flag), Buffer.from([0x88, 0])]))
  socket.on('data', () => socket.end())
})

server.listen(8080)
process.on('SIGTERM', () => process.exit(0))
