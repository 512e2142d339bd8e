import { Conversation } from '../conversation.ts'
import type { SolveContext } from '../solve-context.ts'

const steps = { N: [-1, 0], E: [0, 1], S: [1, 0], W: [0, -1] } as const

/** Sends a shortest path through each maze that the server shows, and returns the flag. */
export async function solve(context: SolveContext): Promise<string> {
  const pilot = new Conversation(await context.connect())
  try {
    for (;;) {
      const heard = await pilot.hear(/CHART \d+ of \d+\n([#.SE\n]+)COURSE> |flag\{[^}\n]+\}/)
      if (heard[1] === undefined) return heard[0]
      pilot.say(findShortestCourse(heard[1].trim().split('\n')))
    }
  } finally {
    pilot.close()
  }
}

/** Returns a shortest path through the maze as compass directions, for example `EESSW`. */
export function findShortestCourse(chart: readonly string[]): string {
  const startRow = chart.findIndex((line) => line.includes('S'))
  const courses = new Map([[`${startRow},${chart[startRow]?.indexOf('S')}`, '']])
  for (const [square, course] of courses) {
    const [row = 0, column = 0] = square.split(',').map(Number)
    if (chart[row]?.[column] === 'E') return course
    for (const [letter, [down, right]] of Object.entries(steps)) {
      const next = `${row + down},${column + right}`
      const there = chart[row + down]?.[column + right] ?? '#'
      if (there !== '#' && !courses.has(next)) courses.set(next, course + letter)
    }
  }
  throw new Error('The chart has no way out')
}
