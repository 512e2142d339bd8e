import { writeFileSync } from 'node:fs'

const bitMicroseconds = 1_000_000 / 9600

/** Returns the serial output of the controller, with the flag in the middle. */
function mutterings(flag: string): string[] {
  return [
    'WINCH CTRL 2.1 RDY\r\n',
    'HAUL 00 PAWL OK\r\n',
    'HAUL 40 PAWL OK\r\n',
    `KEY ${flag}\r\n`,
    'HAUL 80 PAWL OK\r\n',
    'HOME\r\n',
  ]
}

/** Creates a value change dump (IEEE 1364, 1 us) of two wires: TX, a UART with 9600 baud 8N1, and the PWM signal of the motor. */
export function makeAttachment(flag: string): Uint8Array {
  const changes: { at: number; line: string }[] = []

  let at = 4_000
  let level = 1
  const drive = (bit: number) => {
    if (bit !== level) changes.push({ at: Math.round(at), line: `${bit}!` })
    level = bit
    at += bitMicroseconds
  }
  for (const words of mutterings(flag)) {
    for (const byte of Buffer.from(words, 'latin1')) {
      drive(0)
      for (let bit = 0; bit < 8; bit++) drive((byte >> bit) & 1)
      drive(1)
    }
    at += 7_300
  }

  const end = Math.round(at + 5_000)
  for (let rise = 0; rise < end; rise += 500) {
    const dutyPercent = Math.round(30 + 40 * Math.sin(rise / 60_000) ** 2)
    changes.push({ at: rise, line: '1"' }, { at: rise + 5 * dutyPercent, line: '0"' })
  }
  changes.sort((one, other) => one.at - other.at)

  const lines = [
    '$comment winch controller, unmarked pin and motor $end',
    '$timescale 1 us $end',
    '$scope module analyser $end',
    '$var wire 1 ! TX $end',
    '$var wire 1 " PWM $end',
    '$upscope $end',
    '$enddefinitions $end',
    '$dumpvars',
    '1!',
    '0"',
    '$end',
  ]
  let stamp = -1
  for (const change of changes) {
    if (change.at !== stamp) lines.push(`#${change.at}`)
    stamp = change.at
    lines.push(change.line)
  }
  lines.push(`#${end}`, '')
  return Buffer.from(lines.join('\n'), 'latin1')
}

if (import.meta.main) writeFileSync(process.env.OUTPUT ?? '', makeAttachment(process.env.FLAG ?? ''))
