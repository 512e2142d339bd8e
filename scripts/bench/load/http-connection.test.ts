import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { HttpConnection } from './http-connection.ts'

const request = Buffer.from('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
const cleanups: (() => void)[] = []

function listen(server: Pick<Server, 'listen' | 'address' | 'close' | 'once'>): Promise<number> {
  return new Promise((resolve) => {
    cleanups.push(() => server.close())
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
}

function connectTo(port: number): HttpConnection {
  const connection = new HttpConnection(port, { keepsBodies: true })
  cleanups.unshift(() => connection.close())
  return connection
}

async function serve(listener: RequestListener) {
  return connectTo(await listen(createServer(listener)))
}

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

describe('a connection of the load generator', () => {
  it('reads a body of known length, then the next one on the same connection', async () => {
    const ports = new Set<number | undefined>()
    const connection = await serve((incoming, response) => {
      ports.add(incoming.socket.remotePort)
      response.writeHead(201, { 'content-length': '5' }).end('hello')
    })
    for (let time = 0; time < 3; time += 1) expect(await connection.send(request)).toMatchObject({ status: 201, body: 'hello' })
    expect(ports.size).toBe(1)
  })

  it('reads a body in chunks', async () => {
    const connection = await serve((_, response) => {
      response.write('one ')
      response.write('two ')
      response.end('x'.repeat(200_000))
    })
    for (let time = 0; time < 2; time += 1) {
      const { body } = await connection.send(request)
      expect(body).toBe(`one two ${'x'.repeat(200_000)}`)
    }
  })

  it('reads an answer without a body', async () => {
    const connection = await serve((_, response) => void response.writeHead(200, { 'content-length': '0' }).end())
    expect(await connection.send(request)).toMatchObject({ status: 200, body: '' })
  })

  it('reads an answer that comes byte by byte', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
    const port = await listen(
      createTcpServer({ noDelay: true }, (socket) => {
        const bytes = [...answer]
        const next = () => {
          const byte = bytes.shift()
          if (byte !== undefined) socket.write(byte, () => setImmediate(next))
        }
        socket.once('data', next)
      }) as unknown as Server,
    )
    expect(await connectTo(port).send(request)).toMatchObject({ status: 200, body: 'abc', bytes: answer.length })
  })

  it('fails the request that is under way when it is closed', async () => {
    const connection = await serve(() => {})
    const answer = connection.send(request)
    connection.close()
    await expect(answer).rejects.toThrow('The connection was closed')
  })

  it('fails the request when the server breaks off, and connects again for the next', async () => {
    let requests = 0
    const connection = await serve((incoming, response) => {
      requests += 1
      if (requests === 1) incoming.socket.destroy()
      else response.end('back')
    })
    await expect(connection.send(request)).rejects.toThrow(/closed|ECONNRESET/)
    expect(await connection.send(request)).toMatchObject({ body: 'back' })
  })
})
