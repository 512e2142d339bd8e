import type { Socket } from 'node:net'

function whole(text: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}

function later(socket: Socket, text: string): void {
  void setTimeout(() => socket.writable && socket.write(text), 2)
}

/** Map from the name of each behavior to its implementation. A request chooses the behavior by its path. */
const behaviours = {
  plain: (socket) => socket.write(whole('good')),
  slow: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n')
    later(socket, 'good')
  },
  late: (socket) => later(socket, whole('good')),
  refuse: (socket) => socket.write('HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno'),
  'refuse-late': (socket) => later(socket, 'HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n'),
  continue: (socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\n')
    later(socket, whole('good'))
  },
  'continue-late': (socket) => later(socket, `HTTP/1.1 100 Continue\r\n\r\n${whole('good')}`),
  interim: (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'.repeat(20) + whole('good')),
  silent: () => {},
  reset: (socket) => socket.resetAndDestroy(),
  'reset-late': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart')
    setTimeout(() => socket.resetAndDestroy(), 1)
  },
  half: (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'),
  close: (socket) => socket.destroy(),
  garbage: (socket) => socket.end('\x00\x01\x02\r\n\r\n'),
  letters: (socket) =>
    socket.write(Buffer.from('HTTP/1.1 200 \xe9\x7f\r\nX-\xff: \xff\r\nContent-Length: 2\r\n\r\nhi', 'latin1')),
  trailers: (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nTE: b\r\nContent-Length: 9\r\n\r\n'),
  switch: (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello'),
  'switch-late': (socket) =>
    later(socket, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello'),
  'switch-reset': (socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    setTimeout(() => socket.resetAndDestroy(), 1)
  },
} satisfies Record<string, (socket: Socket) => unknown>

export const behaviourNames = Object.keys(behaviours) as [keyof typeof behaviours, ...(keyof typeof behaviours)[]]

/** Serves a connection to an instance. The path of a request selects how the instance misbehaves. All other data is echoed. */
export function serveHostileInstance(socket: Socket): void {
  socket.on('data', (bytes) => {
    const asked = /\/as-([a-z-]+)/.exec(bytes.toString('latin1'))?.[1]
    const behave = asked === undefined ? undefined : behaviours[asked as keyof typeof behaviours]
    if (behave) behave(socket)
    else socket.write(bytes)
  })
  socket.on('end', () => socket.end())
}
