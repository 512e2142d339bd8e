import type { SolveContext } from '../solve-context.ts'

const bitMicroseconds = 1_000_000 / 9600

export async function solve(context: SolveContext): Promise<string> {
  const dump = Buffer.from(await context.attachment()).toString('latin1')
  const wire = /\$var wire 1 (\S) TX \$end/.exec(dump)?.[1]

  const edges: { at: number; level: number }[] = []
  let now = 0
  for (const line of dump.slice(dump.indexOf('$end\n#')).split('\n')) {
    if (line.startsWith('#')) now = Number(line.slice(1))
    else if (line[1] === wire) edges.push({ at: now, level: Number(line[0]) })
  }

  let text = ''
  let decodedUntil = 0
  edges.forEach((edge, index) => {
    if (edge.level !== 0 || edge.at < decodedUntil) return
    let byte = 0
    let seen = index
    for (let bit = 0; bit < 8; bit++) {
      const middle = edge.at + (bit + 1.5) * bitMicroseconds
      while ((edges[seen + 1]?.at ?? Number.POSITIVE_INFINITY) <= middle) seen += 1
      byte |= (edges[seen]?.level ?? 1) << bit
    }
    text += String.fromCharCode(byte)
    decodedUntil = edge.at + 9.5 * bitMicroseconds
  })

  const flag = /flag\{[^}]+\}/.exec(text)
  if (!flag) throw new Error(`No flag in ${JSON.stringify(text)}`)
  return flag[0]
}
