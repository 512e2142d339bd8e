import { readFile } from 'node:fs/promises'
import { labelLength } from '@capstan/contract/reach'
import { generate } from 'selfsigned'
import { imageEnvironmentOf, imageFlagsOf } from '../image-command.ts'

/** Below it every instance of these measurements has a host name. */
export const domain = 'play.test'

/** Of the instance with this number, from 0. */
export function labelOf(instance: number): string {
  return [Math.floor(instance / 26), instance % 26]
    .map((letter) => String.fromCharCode('a'.charCodeAt(0) + letter))
    .join('')
    .padStart(labelLength, 'a')
}

export function hostOf(instance: number): string {
  return `${labelOf(instance)}.${domain}`
}

export function instanceIdOf(instance: number): string {
  return `aaaaaaaa-bbbb-4ccc-8ddd-${String(instance).padStart(12, '0')}`
}

/** What an instance answers to `/small` and to `/stream`. */
export const smallBytes = 1024
export const streamBytes = 1024 * 1024

/** Both in PEM. */
export type Certificate = Readonly<{
  certificate: string
  key: string
}>

/** Of every name below `domain`. */
export async function makeCertificate(): Promise<Certificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: `*.${domain}` }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: `*.${domain}` }] }],
  })
  return { certificate: cert, key }
}

/** Returns the flags of Node and the variables that the image of the gateway sets. */
export async function readGatewayImage() {
  const image = await readFile(new URL('../../../services/gateway/Dockerfile', import.meta.url), 'utf8')
  return { flags: imageFlagsOf(image), environment: imageEnvironmentOf(image) }
}
