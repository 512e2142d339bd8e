import { Limits } from '@capstan/contract/limits'

/** Request of the api to the operator for the output of a container. ADR 73. */
export interface LogRequest {
  /** Name of the ChallengeInstance. */
  instance: string
  /** Name of the container, as in `containerNameOf`. */
  container: string
  /** Number of existing lines to read, counted from the end of the output. */
  tailLines: number
  /** True to continue with new output, including output of later runs of the container. */
  follow: boolean
}

export function logRequestPath({ instance, container, tailLines, follow }: LogRequest): string {
  const query = new URLSearchParams({ tailLines: String(tailLines), follow: String(follow) })
  return `/instances/${encodeURIComponent(instance)}/containers/${encodeURIComponent(container)}/log?${query}`
}

/** @returns undefined if the address has another form */
export function readLogRequest(address: string): LogRequest | undefined {
  const { pathname, searchParams } = new URL(address, 'http://operator')
  const [, instance, container] = /^\/instances\/([a-z0-9.-]+)\/containers\/([a-z0-9-]+)\/log$/.exec(pathname) ?? []
  const tailLines = Number(searchParams.get('tailLines') ?? Number.NaN)
  if (instance === undefined || container === undefined) return undefined
  if (!Number.isInteger(tailLines) || tailLines < 0 || tailLines > Limits.maxLogTailLines) return undefined
  return { instance, container, tailLines, follow: searchParams.get('follow') === 'true' }
}
