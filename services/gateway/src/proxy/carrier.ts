/** Object that carries the bytes of an open connection. */
export interface Carrier {
  end(): void
  /** Ends the carrier as soon as it carries no request. Absent if the carrier does not distinguish requests. */
  retire?(): void
  ping?(): void
  /** Reports the bytes that were forwarded since the last call. Absent if the carrier reports all bytes at once. */
  count?(): void
}

export type CarrierEvents = Readonly<{
  /** Called with the number of forwarded bytes. `sent` means that the client sent them. */
  onBytes: (direction: 'sent' | 'received', count: number) => void
  /** Called once, after both sides are closed. */
  onEnd: () => void
}>
