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

async function request(host: string, port: number, method: string, path: string): Promise<string> {
  const response = await fetch(`http://${host}:${port}${path}`, { method, signal: AbortSignal.timeout(5000) }).catch((error) => {
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
    throw new Blocked(code ?? message)
  })
  return `${method} ${path}: ${response.status}`
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
    attempt('stop the recording', (capture) => request('127.0.0.1', capture, 'POST', '/finish')),
    attempt('use the sidecar’s port', takePort),
  ]
}
