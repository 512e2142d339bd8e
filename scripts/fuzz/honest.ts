import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { domain, instanceId, label, type Ports } from './names.ts'

const host = '127.0.0.1'
const instanceHost = `${label}.${domain}`
const webSocketHeaders = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

function ask(port: number, path: string, headers: Record<string, string> = {}, connection?: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host,
      port,
      path,
      agent: false,
      headers,
      ...(connection && { createConnection: () => connection }),
    })
    outgoing.on('response', (answer) => {
      text(answer).then((body) => resolve(`${answer.statusCode} ${body}`), reject)
    })
    outgoing.on('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(`${answer.statusCode} `)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

async function secured(port: number, protocol: string): Promise<Socket> {
  const socket = connectTls({ host, port, servername: instanceHost, rejectUnauthorized: false, ALPNProtocols: [protocol] })
  await once(socket, 'secureConnect')
  return socket
}

async function askSecured(port: number, path: string): Promise<string> {
  const socket = await secured(port, 'http/1.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${instanceHost}\r\nConnection: close\r\n\r\n`)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return `${head.slice(9, 12)} ${body}`
}

async function askHttp2(port: number, path: string): Promise<string> {
  const socket = await secured(port, 'h2')
  const session = connectHttp2(`https://${instanceHost}`, { createConnection: () => socket })
  const stream = session.request({ ':path': path })
  const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }]
  const body = await text(stream)
  session.destroy()
  return `${headers[':status']} ${body}`
}

async function echo(port: number): Promise<string> {
  const socket = connect({ host, port })
  socket.write('honest bytes')
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return String(bytes)
}

const byName = { host: instanceHost }

/** Valid calls by name, at least one for each listener. Each has the expected result. */
const calls: Readonly<Record<string, { ask(ports: Ports): Promise<string>; answer: string }>> = {
  'host name': { ask: ({ gateway }) => ask(gateway, '/as-plain', byName), answer: '200 good' },
  'host name, upgraded': { ask: ({ gateway }) => ask(gateway, '/as-switch', { ...byName, ...webSocketHeaders }), answer: '101 ' },
  hub: { ask: ({ gateway }) => ask(gateway, '/hub/user?game=7', webSocketHeaders), answer: '101 ' },
  tunnel: { ask: ({ gateway }) => ask(gateway, `/api/proxy/noinst/${instanceId}`, webSocketHeaders), answer: '101 ' },
  'HTTP/1.1 over TLS': {
    ask: ({ secure }) => askSecured(secure, '/as-plain'),
    answer: '200 good',
  },
  'HTTP/2': { ask: ({ secure }) => askHttp2(secure, '/as-plain'), answer: '200 good' },
  'plain port': { ask: ({ plain }) => echo(plain), answer: 'honest bytes' },
  pages: { ask: ({ pages }) => ask(pages, '/livez'), answer: '200 Healthy' },
  'hub through pages': { ask: ({ pages }) => ask(pages, '/hub/user?game=7', webSocketHeaders), answer: '101 ' },
  'api through pages': { ask: ({ pages }) => ask(pages, '/healthz'), answer: '200 Healthy' },
  api: { ask: ({ api }) => ask(api, '/healthz'), answer: '200 Healthy' },
  management: { ask: ({ management }) => ask(management, '/livez'), answer: '200 Healthy' },
}

/**
 * Makes all valid calls.
 * @returns a map from the name of a call to its unexpected result, which is empty if every listener works
 */
export async function findFailedCalls(ports: Ports): Promise<Record<string, string>> {
  const faults: Record<string, string> = {}
  for (const [name, call] of Object.entries(calls)) {
    const heard = await call.ask(ports).catch(String)
    if (heard !== call.answer) faults[name] = heard
  }
  return faults
}
