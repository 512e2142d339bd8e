import { request as sendRequest } from 'node:http'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type Attempt, Blocked, Skipped } from './attempts.ts'

/** Returns the address of this pod, which is also the address of the recorder. */
function ownAddress(): string {
  return (
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
  )
}

/** @param from own address from which the request is sent. By default, the system chooses the address */
function request(host: string, port: number, method: string, path: string, from?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host, port, method, path, timeout: 5000, ...(from !== undefined && { localAddress: from }) }
    const sent = sendRequest(options, ({ statusCode }) => {
      sent.destroy()
      resolve(`${method} ${path}: ${statusCode}`)
    })
    sent.once('timeout', () => sent.destroy(new Blocked('no answer')))
    sent.once('error', ({ code, message }: NodeJS.ErrnoException) => reject(new Blocked(code ?? message)))
    sent.end()
  })
}

function takePort(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(`listened on ${port}`)))
  })
}

/**
 * Returns attempts against the container that records the traffic of the challenge. If traffic is not recorded, the
 * attempts are skipped.
 */
export function listAttemptsOnRecorder(port: number | undefined): Attempt[] {
  const attempt = (title: string, run: (port: number) => Promise<string>): Attempt => ({
    title,
    control: 'capture sidecar',
    async run() {
      if (port === undefined) throw new Skipped('nothing is recorded')
      return run(port)
    },
  })
  return [
    attempt('read recordings through localhost', (capture) => request('127.0.0.1', capture, 'GET', '/segments')),
    attempt('read recordings through the pod’s address', (capture) => request(ownAddress(), capture, 'GET', '/segments')),
    attempt('read recordings from the pod’s address through localhost', (capture) =>
      request('127.0.0.1', capture, 'GET', '/segments', ownAddress()),
    ),
    attempt('stop the recording', (capture) => request('127.0.0.1', capture, 'POST', '/finish')),
    attempt('use the sidecar’s port', takePort),
  ]
}
