import { connect, createServer, type Server, type Socket } from 'node:net'
import { findFreePort } from './find-free-port.ts'

export type UnsteadyLink = Readonly<{
  /** URL with which a client connects to the database through this link. */
  url: string
  taken: number
  cut(): Promise<void>
  /** Resets every connection. New connections are accepted and closed at once. */
  hangUp(): Promise<void>
  /** Resets every connection. New connections are accepted but never answered. */
  fallSilent(): Promise<void>
  /** Forwards requests, but breaks each connection when its first response arrives. Fulfills when a response was lost. */
  loseAnswers(): Promise<void>
  /** Forwards all traffic again. */
  mend(): Promise<void>
}>

type Mood = 'steady' | 'hangs-up' | 'silent' | 'loses-answers'

/** Creates a TCP link to the database. The link can fail like a network, a proxy or a restarting server. */
export async function createUnsteadyDatabaseLink(databaseUrl: string): Promise<UnsteadyLink & { close(): Promise<void> }> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let mood: Mood = 'steady'
  let taken = 0
  let reportLoss = (): void => {}
  let server: Server | undefined
  const port = await findFreePort()

  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const serve = (client: Socket): void => {
    taken += 1
    track(client)
    if (!server) return void client.resetAndDestroy()
    if (mood === 'hangs-up') return void client.end()
    if (mood === 'silent') return
    const upstream = track(connect(Number(target.port), target.hostname))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.on('data', (data) => upstream.write(data))
    upstream.on('data', (data) => {
      if (mood !== 'loses-answers') return void client.write(data)
      client.resetAndDestroy()
      reportLoss()
    })
  }
  const listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server = createServer(serve).once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const stopListening = (): Promise<void> =>
    new Promise((resolve) => {
      if (!server) return resolve()
      server.close(() => resolve())
      server = undefined
      reset()
    })
  const become = async (next: Mood): Promise<void> => {
    mood = next
    reset()
    if (!server) await listen()
  }
  await listen()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    get taken() {
      return taken
    },
    cut: stopListening,
    hangUp: () => become('hangs-up'),
    fallSilent: () => become('silent'),
    loseAnswers() {
      mood = 'loses-answers'
      return new Promise((resolve) => {
        reportLoss = resolve
      })
    },
    mend: () => become('steady'),
    close: stopListening,
  }
}
