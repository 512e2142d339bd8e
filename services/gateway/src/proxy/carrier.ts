/** Object that carries the bytes of an open connection. */
export interface Carrier {
  end(): void
  /** Ends the connection as soon as all its HTTP requests have ended. Absent if the connection does not carry HTTP. */
  retire?(): void
  ping?(): void
  /**
   * Calls `onBytes` with the number of bytes since the previous call of `count`. Absent for connections that report each piece of
   * data.
   */
  count?(): void
}

export type CarrierEvents = Readonly<{
  /** Called with the number of forwarded bytes. `sent` means that the client sent them. */
  onBytes: (direction: 'sent' | 'received', count: number) => void
  /** Called once, after both sides are closed. */
  onEnd: () => void
}>
