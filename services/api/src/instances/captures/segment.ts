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
 * Returns the name under which a segment is stored: `{id}-{start}-{run}-{number}.pcap`, where `id` is the first 8 hex digits of the
 * instance's id. The names of an instance sort by time. Every process and attempt computes the same name. If the instance has
 * several containers, the name of the container follows the number.
 * @throws Error for a name that no recorder uses
 */
export function fileNameOfSegment(instanceId: string, segmentName: string, container?: string): string {
  const [, start, run, number = ''] = pattern.exec(segmentName) ?? []
  if (start === undefined) throw new Error('The recorder returned an invalid file name')
  const name = `${instanceId.slice(0, 8)}-${start}-${run}-${number.padStart(4, '0')}`
  return `${name}${container === undefined ? '' : `-${container}`}.pcap`
}

const storedPattern = /^[0-9a-f]{8}-(\d{8}T\d{6}Z)-(\d{1,16})-(\d{4,6})(?:-([a-z][-a-z0-9]*))?\.pcap$/

/** Origin of a stored capture file, as its name describes it. */
export type CaptureOrigin = Readonly<{
  /** Name of the container. Null if the instance has only one container, or if the name of the file has another form. */
  container: string | null
  /** Key that sorts the files of a container by time. */
  order: string
}>

export function originOfCaptureFile(fileName: string): CaptureOrigin {
  const [, start, run = '', number = '', container = null] = storedPattern.exec(fileName) ?? []
  if (start === undefined) return { container: null, order: fileName }
  return { container, order: `${start}-${run.padStart(16, '0')}-${number.padStart(6, '0')}` }
}
