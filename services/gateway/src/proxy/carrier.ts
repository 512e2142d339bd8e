/** Object that carries the bytes of an open connection. */
export interface Carrier {
  end(): void
  /** Ends the carrier as soon as it is idle. Absent if it never becomes idle. */
  retire?(): void
  ping?(): void
  /** Reports the bytes that were forwarded since the last call. Absent if the carrier always reports bytes at once. */
  count?(): void
}

export type CarrierEvents = Readonly<{
  /** Called with the number of forwarded bytes. The direction is from the client's view. */
  onBytes: (direction: 'sent' | 'received', count: number) => void
  /** Called once, after both sides are closed. */
  onEnd: () => void
}>
