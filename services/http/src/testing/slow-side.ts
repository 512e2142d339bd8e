import { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'

/** Returns a side of a relay or tunnel that takes a piece only after a call of `take`. */
export function createSlowSide() {
  const pieces: Buffer[] = []
  const waitingWrites: (() => void)[] = []
  const side = new Duplex({
    allowHalfOpen: true,
    read() {},
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      waitingWrites.push(done)
    },
  })
  onTestFinished(() => void side.destroy())
  return { side, pieces, take: () => waitingWrites.shift()?.() }
}
