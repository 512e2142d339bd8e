// The harbour office signs ("seals") numbers with textbook RSA. It refuses only one number, whose signature players must forge.
import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto'
import { createServer } from 'node:net'

const flag = process.env.FLAG ?? 'flag{this_office_is_closed}'
const team = process.env.TEAM_ID ?? 'unknown'
const port = Number(process.env.PORT ?? 1337)
const host = process.env.HOST ?? '0.0.0.0'

const maxLineLength = 2048
const maxLines = 500
const idleMs = 120_000

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024, publicExponent: 65537 })
const modulus = BigInt(`0x${Buffer.from(publicKey.export({ format: 'jwk' }).n, 'base64url').toString('hex')}`)
const order = `Cast off the Capstan, berth ${team}.`
const orderNumber = BigInt(`0x${Buffer.from(order, 'latin1').toString('hex')}`)

/** Returns a number as a block with the length of the modulus. The raw RSA functions need such blocks. */
const toBlock = (number) => Buffer.from(number.toString(16).padStart(256, '0'), 'hex')
const toNumber = (block) => BigInt(`0x${block.toString('hex')}`)
const sealed = (number) => toNumber(privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, toBlock(number)))
const opened = (number) => toNumber(publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, toBlock(number)))

/** Parses a hexadecimal number from 1 to n - 1. @returns undefined for other texts */
function parseNumber(text) {
  if (!/^(0x)?[0-9a-f]{1,512}$/i.test(text)) return undefined
  const number = BigInt(`0x${text.replace(/^0x/i, '')}`)
  return number > 0n && number < modulus ? number : undefined
}

const help = [
  'order       the paper this office will not seal',
  'seal <hex>  put the seal on a number',
  'cast <hex>  hand in the sealed order',
  'key         the public key again',
  'quit        leave',
]
const key = [`n = ${modulus.toString(16)}`, 'e = 10001']
const notANumber = ['That is not a number between 1 and n - 1 in hexadecimal.']

/** Returns the lines to send in response to a line of the player. `over` is true if the conversation ends after these lines. */
function answer(line) {
  const [command = '', argument = ''] = line.split(/\s+/)
  switch (command.toLowerCase()) {
    case '':
      return { lines: [] }
    case 'order':
      return { lines: [`"${order}"`, `m = ${orderNumber.toString(16)}`] }
    case 'key':
      return { lines: key }
    case 'seal': {
      const number = parseNumber(argument)
      if (number === undefined) return { lines: notANumber }
      if (number === orderNumber) return { lines: ['The clerk shakes his head. Not this one.'] }
      return { lines: [`s = ${sealed(number).toString(16)}`] }
    }
    case 'cast': {
      const number = parseNumber(argument)
      if (number === undefined) return { lines: notANumber }
      if (opened(number) !== orderNumber) return { lines: ['The seal does not fit the order.'] }
      return { lines: ['The seal holds. Lines are off, the Capstan is yours.', flag], over: true }
    }
    case 'quit':
      return { lines: ['Fair winds.'], over: true }
    default:
      return { lines: help }
  }
}

const server = createServer((socket) => {
  let pending = ''
  let lines = 0
  socket.setEncoding('latin1')
  socket.setTimeout(idleMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.write(['HARBOUR OFFICE, MERIDIAN ROADS', ...key, ...help, '> '].join('\n'))
  socket.on('data', (chunk) => {
    pending += chunk
    for (let end = pending.indexOf('\n'); end >= 0 && !socket.writableEnded; end = pending.indexOf('\n')) {
      const reply = answer(pending.slice(0, end).trim())
      pending = pending.slice(end + 1)
      lines += 1
      if (reply.over || lines >= maxLines) socket.end(`${reply.lines.join('\n')}\n`)
      else socket.write([...reply.lines, '> '].join('\n'))
    }
    if (pending.length > maxLineLength) socket.destroy()
  })
})
server.maxConnections = 128
server.listen(port, host, () => console.log(`Listening on ${host}:${server.address().port}`))
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
