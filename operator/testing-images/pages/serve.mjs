// Web application for tests, on port PORT. The pages use a cookie, a redirect, uploads, range requests, WebSockets and a service
// worker.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'

const flag = process.env.FLAG ?? 'no flag'
const cargoBytes = 100 * 1024 * 1024
/** Number of bytes after which the content of `/cargo` repeats. Byte number n has the value n modulo this number. */
const period = 251
const pattern = Buffer.from(Array.from({ length: period * 1024 }, (_, at) => at % period))

const page = (title, body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`

const hold = page(
  'Cargo hold',
  `<p>Sealed: <output id="flag">${flag}</output></p>
<p><label>Load <input type="file"></label> <output id="loaded"></output></p>
<p><button id="part">Look at a part</button> <output id="seen"></output></p>
<p><button id="call">Call</button> <output id="heard"></output></p>
<p><a href="/cargo" download="cargo.bin">Unload</a></p>
<script>
const say = (id, text) => { document.getElementById(id).textContent = text }
document.querySelector('input').onchange = async ({ target }) => {
  const answer = await fetch('/upload', { method: 'POST', body: target.files[0] })
  say('loaded', await answer.text())
}
document.getElementById('part').onclick = async () => {
  const answer = await fetch('/cargo', { headers: { Range: 'bytes=52428800-52428804' } })
  say('seen', [answer.status, answer.headers.get('content-range'), ...new Uint8Array(await answer.arrayBuffer())].join(' '))
}
document.getElementById('call').onclick = () => {
  const socket = new WebSocket(location.origin.replace('http', 'ws') + '/echo')
  socket.onopen = () => socket.send('Ahoy')
  socket.onmessage = ({ data }) => say('heard', data)
}
</script>`,
)

const watch = page(
  'Watch',
  `<p><output id="watch"></output></p>
<script>
const say = () => { if (navigator.serviceWorker.controller) document.getElementById('watch').textContent = 'On watch' }
navigator.serviceWorker.oncontrollerchange = say
navigator.serviceWorker.register('/watch.js').then(say)
</script>`,
)

const watchWorker = `addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (new URL(event.request.url).pathname === '/bottle') event.respondWith(new Response('Found by the watch'))
})
`

function* cargo(first, last) {
  for (let at = first; at <= last; ) {
    const from = at % period
    const piece = pattern.subarray(from, Math.min(pattern.length, from + last + 1 - at))
    yield piece
    at += piece.length
  }
}

async function sendCargo({ headers }, response) {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const first = Number(from ?? 0)
  const last = Math.min(to ? Number(to) : cargoBytes, cargoBytes - 1)
  if (first > last) {
    response.writeHead(416, { 'content-range': `bytes */${cargoBytes}` }).end()
    return
  }
  response.writeHead(from === undefined ? 200 : 206, {
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    'content-length': last - first + 1,
    ...(from !== undefined && { 'content-range': `bytes ${first}-${last}/${cargoBytes}` }),
  })
  for (const piece of cargo(first, last)) {
    if (response.destroyed) return
    if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end()
}

const isCrew = ({ headers }) => (headers.cookie ?? '').split('; ').includes('crew=mate')

const answers = {
  '/': (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(page('Quay', '<form action="/login" method="post"><button>Come aboard</button></form>')),
  '/login': (request, response) => {
    request.resume()
    const { host, 'x-forwarded-proto': protocol = 'http' } = request.headers
    response
      .writeHead(303, { location: `${protocol}://${host}/hold`, 'set-cookie': 'crew=mate; Path=/; HttpOnly; SameSite=Lax' })
      .end()
  },
  '/hold': (request, response) =>
    isCrew(request)
      ? response.writeHead(200, { 'content-type': 'text/html' }).end(hold)
      : response.writeHead(403).end('Who are you?'),
  '/watch': (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(watch),
  '/watch.js': (_request, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(watchWorker),
  '/flag': (_request, response) => response.end(flag),
  '/cargo': sendCargo,
  '/upload': async (request, response) => {
    let bytes = 0
    const digest = createHash('sha256')
    for await (const chunk of request) {
      bytes += chunk.length
      digest.update(chunk)
    }
    response.end(`${bytes} ${digest.digest('hex')}`)
  },
}

const server = createServer((request, response) => {
  const answer = answers[new URL(request.url, 'http://pages').pathname]
  if (!answer) response.writeHead(404).end()
  else Promise.resolve(answer(request, response)).catch(() => response.destroy())
})

/** Returns a WebSocket frame with a text of less than 126 bytes. */
const frameOf = (text) => Buffer.concat([Buffer.from([0x81, text.length]), text])

const conversations = {
  // Sends the flag and closes the connection. Input is ignored.
  '/socket': (socket) => {
    socket.write(Buffer.concat([frameOf(Buffer.from(flag)), Buffer.from([0x88, 0])]))
    socket.on('data', () => socket.end())
  },
  // Echoes every text until the client sends a frame that is not a text.
  '/echo': (socket) => {
    let unread = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      unread = Buffer.concat([unread, bytes])
      for (;;) {
        const length = (unread[1] ?? 0) & 0x7f
        if (unread.length < 6 + length) return
        if (unread[0] !== 0x81) return void socket.end()
        const mask = unread.subarray(2, 6)
        socket.write(frameOf(unread.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at & 3])))
        unread = unread.subarray(6 + length)
      }
    })
  },
}

server.on('upgrade', ({ url, headers }, socket) => {
  socket.on('error', () => socket.destroy())
  const converse = conversations[url]
  if (!converse) return void socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  // See RFC 6455, section 4.2.2.
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  converse(socket)
})

server.listen(Number(process.env.PORT ?? 8080), process.env.HOST ?? '0.0.0.0')
// Without PORT, send the flag to any TCP client that writes to port 1337. A second container of the pod runs the program in this
// way.
if (process.env.PORT === undefined) {
  createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', () => socket.write(`${flag}\n`))
  }).listen(1337)
}
process.on('SIGTERM', () => process.exit(0))
