export type Segment = Readonly<{
  /** File name that the recorder chose. */
  name: string
  bytes: number
}>

/**
 * Name of a segment: its start in UTC, the run of the recorder, and a counter. If a file is closed at the size limit, the counter
 * distinguishes it from the next file of the same second.
 */
const pattern = /^(\d{8}T\d{6}Z)-(\d{1,16})\.pcap(\d{0,6})$/

export function isSegmentName(name: string): boolean {
  return pattern.test(name)
}

/**
 * Returns the stored name of a segment: `{first 8 hex of the instance}-{start}-{run}-{number}.pcap`. The name sorts by time, and
 * is the same for every process and attempt.
 * @throws Error for a name that no recorder uses
 */
export function captureFileName(instanceId: string, segmentName: string): string {
  const [, start, run, number = ''] = pattern.exec(segmentName) ?? []
  if (start === undefined) throw new Error('The recorder returned an invalid file name')
  return `${instanceId.slice(0, 8)}-${start}-${run}-${number.padStart(4, '0')}.pcap`
}
