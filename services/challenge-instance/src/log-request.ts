import { Limits } from '@capstan/contract/limits'
import { type ContainerAddress, parseContainerRequestPath, pathOfContainerRequest } from './container-address.ts'

/** Request from the api to the operator for the output of a container. See ADR 73. */
export interface LogRequest extends ContainerAddress {
  /** Number of existing lines to return, counted from the end of the output. */
  tailLines: number
  /** True if the response continues with new output, including the output of later runs of the container. */
  follow: boolean
}

export function pathOfLogRequest({ tailLines, follow, ...address }: LogRequest): string {
  const query = new URLSearchParams({ tailLines: String(tailLines), follow: String(follow) })
  return `${pathOfContainerRequest(address, 'log')}?${query}`
}

/**
 * Parses the address of a request for the output of a container.
 * @returns undefined if the address is not the address of such a request
 */
export function parseLogRequest(address: string): LogRequest | undefined {
  const { pathname, searchParams } = new URL(address, 'http://operator')
  const container = parseContainerRequestPath(pathname, 'log')
  const tailLines = Number(searchParams.get('tailLines') ?? Number.NaN)
  if (container === undefined) return undefined
  if (!Number.isInteger(tailLines) || tailLines < 0 || tailLines > Limits.maxLogTailLines) return undefined
  return { ...container, tailLines, follow: searchParams.get('follow') === 'true' }
}
