/** Control sequences of terminals (ECMA-48), and control characters other than the tab. */
const controls = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
  /\u001b\[[0-?]*[ -/]*[@-~]?/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
]

/** Returns a line of output as plain text. */
export function toPlainLine(line: string): string {
  return controls.reduce((text, control) => text.replace(control, ''), line)
}

export type LogLine = Readonly<{ number: number; text: string }>

/** Collects the last lines of the output of a container. */
export function createLineCollector(maxLines: number) {
  const decoder = new TextDecoder()
  let lines: LogLine[] = []
  let rest = ''
  let count = 0
  return {
    add(piece: Uint8Array): void {
      // The server sends NUL bytes while a container is silent.
      const parts = (
        rest +
        decoder.decode(
          piece.filter((byte) => byte !== 0),
          { stream: true },
        )
      ).split('\n')
      rest = parts.pop() ?? ''
      const added = parts.map((text) => {
        count += 1
        return { number: count, text: toPlainLine(text) }
      })
      if (added.length > 0) lines = [...lines, ...added].slice(-maxLines)
    },
    /** Returns the lines, including an incomplete last line. */
    lines(): readonly LogLine[] {
      return rest === '' ? lines : [...lines, { number: count + 1, text: toPlainLine(rest) }].slice(-maxLines)
    },
  }
}
