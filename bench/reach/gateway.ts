import { labelLength } from '@capstan/contract/reach'
import { generate } from 'selfsigned'
import { readImage } from '../image.ts'
import { startWorker } from '../process.ts'

export interface GatewayOrder {
  /** Certificate and key in PEM. */
  readonly tls: { readonly certificate: string; readonly key: string }
  /** Number of instances. All have the same container. */
  readonly instances: number
  readonly speaks: 'http' | 'tcp'
  readonly containerPort: number
}

export interface StartedGateway {
  /** Port for WebSockets and host names. */
  readonly port: number
  readonly tlsPort: number
  /** Port of each instance. */
  readonly plainPorts: readonly number[]
}

export const domain = 'play.test'

/** Returns the label of an instance. Instances have numbers from 0. */
export const labelOf = (instance: number): string =>
  String.fromCharCode(97 + Math.floor(instance / 26), 97 + (instance % 26)).padStart(labelLength, 'a')

export const hostOf = (instance: number): string => `${labelOf(instance)}.${domain}`

export const instanceIdOf = (instance: number): string => `aaaaaaaa-bbbb-4ccc-8ddd-${String(instance).padStart(12, '0')}`

/** Makes a certificate for every name below `domain`. */
export const makeCertificate = async (): Promise<GatewayOrder['tls']> => {
  const name = `*.${domain}`
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 2 as const, value: name }] }]
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { keyType: 'ec', extensions })
  return { certificate: cert, key }
}

/** Starts a gateway as a process, with the flags and variables of its image. */
export const startGateway = async (order: Omit<GatewayOrder, 'tls'>, tls?: GatewayOrder['tls']) => {
  const { flags, environment } = await readImage('services/gateway')
  const file = new URL('gateway-process.ts', import.meta.url)
  const worker = startWorker<GatewayOrder, StartedGateway>(file, flags, environment)
  return { ...(await worker.ask({ ...order, tls: tls ?? (await makeCertificate()) })), pid: worker.pid, stop: worker.stop }
}
