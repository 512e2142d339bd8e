import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/** Sends one line to a challenge. @returns the answer, or undefined if the challenge closes the connection */
export function sendLine(host: string, port: number, line: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 120_000 }, () => socket.write(`${line}\n`))
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} does not answer`)))
    socket.once('close', () => resolve(undefined))
    const lines = createInterface({ input: socket })
    lines.on('error', reject)
    lines.once('line', (answer) => {
      socket.destroy()
      resolve(answer)
    })
  })
}
