import { connect } from 'node:net'

const timeoutMs = 5000

/** Sends one command to the ledger, and returns the ledger's response. */
export function askLedger(...command) {
  const [host, port] = (process.env.LEDGER ?? 'ledger:6000').split(':')
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), host, () => socket.write(`${JSON.stringify(command)}\n`))
    socket.setEncoding('utf8').setTimeout(timeoutMs, () => socket.destroy(new Error('The ledger does not answer')))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('end', () => {
      try {
        resolve(JSON.parse(text))
      } catch (error) {
        reject(error)
      }
    })
  })
}
