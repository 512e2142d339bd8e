import type { SolveContext } from '../solve-context.ts'

/** Recomputes each checksum in the capture. The error of each wrong checksum is the next character of the flag. */
export async function solve(context: SolveContext): Promise<string> {
  const capture = Buffer.from(await context.attachment())
  let flag = ''
  for (let at = 24; at < capture.length; ) {
    const size = capture.readUInt32LE(at + 8)
    const frame = capture.subarray(at + 16, at + 16 + size)
    at += 16 + size
    const [, body = '', stated = ''] = /^\$(.*)\*([0-9A-F]{2})/.exec(frame.subarray(42).toString('latin1')) ?? []
    const right = Buffer.from(body, 'latin1').reduce((sum, byte) => sum ^ byte, 0)
    const error = right ^ Number.parseInt(stated, 16)
    if (error !== 0) flag += String.fromCharCode(error)
  }
  return flag
}
