import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** Flags of authenticator data (WebAuthn Level 3, section 6.1). */
const userPresent = 0x01
const hasCredential = 0x40

type Changes = Readonly<{
  /** Origin of the page that makes the request. */
  origin?: string
  /** Attestation format of a setup. Default: `none`. */
  attestation?: Readonly<{ fmt: string; attStmt: Map<string, unknown> }>
  /** Transports that the browser names in the answer to a setup. */
  transports?: readonly unknown[]
}>

/** Returns an authenticator that has one P-256 key and answers as a browser does. */
export function createAuthenticator(hostName = 'localhost', pageOrigin = `http://${hostName}`, idBytes = 32) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(idBytes)
  const id = credentialId.toString('base64url')
  let signatures = 0

  const dataOf = (flags: number, rest = Buffer.alloc(0)) => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(signatures)
    return Buffer.concat([createHash('sha256').update(hostName).digest(), Buffer.from([flags]), counter, rest])
  }
  const clientDataOf = (type: string, options: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge: (JSON.parse(options) as { challenge: string }).challenge, origin }))
  const answerOf = (response: Record<string, Buffer>, transports?: readonly unknown[]) =>
    JSON.stringify({
      ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
      response: {
        ...Object.fromEntries(Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')])),
        transports,
      },
    })

  return {
    id,
    /** Returns the authenticator's answer to the options of a setup. */
    create(
      options: string,
      { origin = pageOrigin, attestation = { fmt: 'none', attStmt: new Map() }, transports }: Changes = {},
    ): string {
      const key = new Map<number, number | Uint8Array>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        ...([
          [-2, Buffer.from(x, 'base64url')],
          [-3, Buffer.from(y, 'base64url')],
        ] as const),
      ])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const credential = Buffer.concat([Buffer.alloc(16), length, credentialId, isoCBOR.encode(key)])
      const authData = new Uint8Array(dataOf(userPresent | hasCredential, credential))
      const object = new Map<string, unknown>(Object.entries({ ...attestation, authData }))
      const response = {
        clientDataJSON: clientDataOf('webauthn.create', options, origin),
        attestationObject: Buffer.from(isoCBOR.encode(object as never)),
      }
      return answerOf(response, transports)
    },
    /** Returns the authenticator's answer to the options of a login. */
    get(options: string, { origin = pageOrigin }: Changes = {}): string {
      signatures += 1
      const authenticatorData = dataOf(userPresent)
      const clientDataJSON = clientDataOf('webauthn.get', options, origin)
      const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
      return answerOf({ authenticatorData, clientDataJSON, signature: sign('sha256', signed, privateKey) })
    },
  }
}
