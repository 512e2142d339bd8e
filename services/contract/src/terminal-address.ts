/** True if the URL of a request is the address of a terminal, which the api serves as a WebSocket (`openTerminal`). */
export function isTerminalAddress(url: string): boolean {
  return /^\/api\/admin\/instances\/[^/?]+\/containers\/[^/?]+\/terminal\/?(\?|$)/i.test(url)
}
