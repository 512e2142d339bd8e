/** Finished file of a recorder. */
export type Segment = Readonly<{
  /** Name that the recorder gave it. */
  name: string
  bytes: number
}>

/**
 * Start of the segment in UTC, run of the recorder, and a number that grows when files of the same time are closed for their
 * size.
 */
const pattern = /^(\d{8}T\d{6}Z)-(\d{1,16})\.pcap(\d{0,6})$/

export function isSegmentName(name: string): boolean {
  return pattern.test(name)
}

/**
 * Returns the name under which a segment is stored. It is the same for every process and attempt, and sorts by time.
 * `{first 8 hex of the instance}-{start}-{run}-{number}.pcap`.
 * @throws Error for a name that no recorder gives
 */
export function captureFileName(instanceId: string, segmentName: string): string {
  const [, start, run, number = ''] = pattern.exec(segmentName) ?? []
  if (start === undefined) throw new Error('The recorder named a file as no recorder does')
  return `${instanceId.slice(0, 8)}-${start}-${run}-${number.padStart(4, '0')}.pcap`
}
