// The server shows six mazes. The player must send a shortest path through each maze.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const flag = 'flag{every_course_is_short_once_it_is_plotted}'
const team = process.env.TEAM_ID ?? 'unknown'
const port = Number(process.env.PORT ?? 1337)
const host = process.env.HOST ?? '0.0.0.0'

/** Size of each maze in squares, and time in seconds in which the player must send a path. Height and width must be odd. */
const charts = [
  { height: 5, width: 9, seconds: 300 },
  { height: 9, width: 17, seconds: 10 },
  { height: 13, width: 27, seconds: 10 },
  { height: 17, width: 37, seconds: 10 },
  { height: 21, width: 51, seconds: 10 },
  { height: 25, width: 63, seconds: 10 },
]
const maxLineLength = 8192
const idleMs = 310_000
const steps = { N: [-1, 0], E: [0, 1], S: [1, 0], W: [0, -1] }
const directions = Object.values(steps)

/** Creates a maze by a random walk with backtracking. Then removes some walls, so that several paths lead to the exit. */
function drawChart({ height, width }) {
  const rock = Array.from({ length: height }, () => Array(width).fill(true))
  const walk = [[1, 1]]
  rock[1][1] = false
  while (walk.length > 0) {
    const [row, column] = walk.at(-1)
    const open = directions.filter(([down, right]) => rock[row + 2 * down]?.[column + 2 * right])
    if (open.length === 0) {
      walk.pop()
      continue
    }
    const [down, right] = open[randomInt(open.length)]
    rock[row + down][column + right] = false
    rock[row + 2 * down][column + 2 * right] = false
    walk.push([row + 2 * down, column + 2 * right])
  }
  for (let blasts = Math.floor((height * width) / 40); blasts > 0; blasts--) {
    const row = 1 + randomInt(height - 2)
    const column = 1 + randomInt(width - 2)
    if ((row + column) % 2 === 1) rock[row][column] = false
  }
  return { rock, exit: [height - 2, width - 2] }
}

/** Returns the number of squares from the start at (1, 1) to the exit, by breadth-first search. */
function shortestLength({ rock, exit }) {
  const seen = rock.map((line) => line.slice())
  seen[1][1] = true
  let front = [[1, 1]]
  for (let length = 0; front.length > 0; length++) {
    if (front.some(([row, column]) => row === exit[0] && column === exit[1])) return length
    const next = []
    for (const [row, column] of front) {
      for (const [down, right] of directions) {
        if (seen[row + down][column + right]) continue
        seen[row + down][column + right] = true
        next.push([row + down, column + right])
      }
    }
    front = next
  }
  throw new Error('A chart without a way out')
}

/** Returns the reason why the course is refused, or undefined if it is a shortest course to the exit. */
function faultOf(course, chart) {
  if (!/^[NESW]+$/.test(course)) return 'A course is made of N, E, S and W.'
  let [row, column] = [1, 1]
  for (const letter of course) {
    row += steps[letter][0]
    column += steps[letter][1]
    if (chart.rock[row][column]) return `Aground at row ${row + 1}, column ${column + 1}.`
  }
  if (row !== chart.exit[0] || column !== chart.exit[1]) return 'The course ends in the fog.'
  if (course.length > shortestLength(chart)) return 'Out of coal: there is a shorter course.'
  return undefined
}

const printed = ({ rock, exit }) =>
  rock.map((line, row) =>
    line
      .map((isRock, column) =>
        row === 1 && column === 1 ? 'S' : row === exit[0] && column === exit[1] ? 'E' : isRock ? '#' : '.',
      )
      .join(''),
  )

const server = createServer((socket) => {
  let pending = ''
  let round = 0
  let chart
  let limit
  const hail = () => {
    chart = drawChart(charts[round])
    clearTimeout(limit)
    limit = setTimeout(() => socket.end('\nThe fog closes. Too slow.\n'), charts[round].seconds * 1000)
    socket.write([`CHART ${round + 1} of ${charts.length}`, ...printed(chart), 'COURSE> '].join('\n'))
  }
  socket.setEncoding('latin1')
  socket.on('error', () => socket.destroy())
  socket.setTimeout(idleMs, () => socket.destroy())
  socket.on('close', () => clearTimeout(limit))
  socket.on('data', (chunk) => {
    pending += chunk
    for (let end = pending.indexOf('\n'); end >= 0 && !socket.writableEnded; end = pending.indexOf('\n')) {
      const course = pending.slice(0, end).trim().toUpperCase()
      pending = pending.slice(end + 1)
      const fault = faultOf(course, chart)
      if (fault) socket.end(`${fault}\n`)
      else if (++round === charts.length) socket.end(`Open sea, and the sun is out.\n${flag}\n`)
      else hail()
    }
    if (pending.length > maxLineLength) socket.destroy()
  })
  socket.write(`Pilot boat here, vessel of crew ${team}. Thick as wool today.\n`)
  hail()
})
server.maxConnections = 128
server.listen(port, host, () => console.log(`Listening on ${host}:${server.address().port}`))
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0))
