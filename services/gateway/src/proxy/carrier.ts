/** Carrier of the bytes of an open connection. */
export interface Carrier {
  end(): void
  /** Ends as soon as it is idle. Absent if it never becomes idle. */
  retire?(): void
  ping?(): void
  /** Reports bytes that were forwarded since the last call. Absent if they are reported at once. */
  count?(): void
}

export type CarrierEvents = Readonly<{
  /** Called with forwarded bytes, as seen from the client. */
  onBytes: (direction: 'sent' | 'received', count: number) => void
  /** Called once when everything is closed. */
  onEnd: () => void
}>
