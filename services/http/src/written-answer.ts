import type { ServerResponse } from 'node:http'

/** Node says so of a connection's last request, in a field that its types do not have. */
type LastRequest = { readonly maxRequestsOnConnectionReached?: boolean }

/**
 * Whether an answer may be written past Node: the connection is there, takes more, and is its own, as nobody waits on it for an earlier
 * answer, and stays open after it. Of all others Node writes another head, or later.
 */
export const mayBeWritten = (response: ServerResponse): boolean =>
  response.socket?.writable === true && response.shouldKeepAlive && !(response as LastRequest).maxRequestsOnConnectionReached

/**
 * Sends an answer whose bytes are there. Node puts each head together from its parts and checks every one, which costs as much as all
 * else that a short call needs; here the server is told that the answer is out, and has the connection ready for the next request.
 * @param head status line and headers, `Date`, `Connection` and `Keep-Alive` among them, and the empty line
 * @param onSent told how long it took until all of it had gone out, in ms; never, if the connection ended before
 */
export const writeAnswer = (
  response: ServerResponse,
  head: Buffer,
  body: Buffer | undefined,
  onSent: (elapsedMs: number) => void,
): void => {
  const { socket } = response
  if (!socket) return
  const startedAtMs = performance.now()
  const finish = (error: unknown): void => {
    if (error) return
    onSent(performance.now() - startedAtMs)
    response.emit('finish')
  }
  socket.cork()
  socket.write(head, finish)
  if (body) socket.write(body)
  socket.uncork()
}

/** How Node itself begins and ends the head of an answer after which the connection stays open. */
export const headWriter = (server: { readonly keepAliveTimeout: number; readonly maxRequestsPerSocket: number | null }) => {
  const most = server.maxRequestsPerSocket ? `, max=${server.maxRequestsPerSocket}` : ''
  const stays = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(server.keepAliveTimeout / 1_000)}${most}\r\n\r\n`
  return (statusLine: string, headers: string, now: Date): Buffer =>
    Buffer.from(`HTTP/1.1 ${statusLine}\r\n${headers}Date: ${now.toUTCString()}\r\n${stays}`, 'latin1')
}
