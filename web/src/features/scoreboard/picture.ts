import { bloodPlace, createBloodPath } from '../../components/ui/blood-shape.ts'
import { formatNumber } from '../../lib/format.ts'
import type { Scheme } from '../../lib/palette.ts'
import { getLineColor } from './line-colors.ts'
import { moveLabelsApart } from './spread.ts'
import type { ChallengeColumn, Standing } from './standings.ts'
import type { TimelineLine, TimelineSpan } from './timeline.ts'
import { layOutTimeline } from './timeline-axes.ts'
import { createStepPath } from './timeline-scale.ts'

/** Content of the picture, with translated texts. */
export type Picture = Readonly<{
  title: string
  subtitle: string
  scheme: Scheme
  /** Lines of the chart. If the list is empty, the picture has no chart. */
  lines: readonly TimelineLine[]
  span: TimelineSpan
  columns: readonly ChallengeColumn[]
  standings: readonly Standing[]
  ownTeamId: number | undefined
  headings: Readonly<{ rank: string; team: string; solved: string; score: string }>
  /** Text below the rows that gives the number of omitted teams. */
  more: string | undefined
}>

const margin = 32
const row = 30
const cell = 20
const chartTop = 92
const chartHeight = 320
const labelGap = 24
const labelWidth = 230
const columnsAt = { rank: 34, team: 50, solved: 400, score: 480, cells: 506 } as const
const maxCells = 70
/** Pixels of the picture per CSS pixel. With 2, the picture is sharp on dense screens and in print. */
const density = 2

/** Draws title, chart and standings on a canvas, in the current colors of the page. */
export function drawScoreboardPicture(picture: Picture): HTMLCanvasElement {
  const { title, subtitle, columns, standings, lines } = picture
  const shownCells = columns.length <= maxCells ? columns : []
  const width = Math.max(1080, margin * 2 + columnsAt.cells + shownCells.length * cell)
  const tableTop = chartTop + (lines.length > 0 ? chartHeight + 20 : 0)
  const height = tableTop + row * (standings.length + 1) + (picture.more ? row : 0) + margin
  const canvas = document.createElement('canvas')
  canvas.width = width * density
  canvas.height = height * density
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('This browser cannot draw pictures')
  pen.scale(density, density)
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const write: Write = (text, x, y, { size = 14, weight = 400, ink = '--text', align = 'left', max } = {}) => {
    pen.font = `${weight} ${size}px ${style.fontFamily}`
    pen.fillStyle = ink.startsWith('--') ? color(ink) : ink
    pen.textAlign = align
    pen.textBaseline = 'middle'
    pen.fillText(max === undefined ? text : shortened(pen, text, max), x, y)
  }

  pen.fillStyle = color('--bg')
  pen.fillRect(0, 0, width, height)
  write(title, margin, 40, { size: 26, weight: 640, max: width - margin * 2 })
  write(subtitle, margin, 68, { ink: '--text-2' })
  if (lines.length > 0) drawChart(pen, picture, { width: width - margin * 2 - labelWidth, color, write })

  const left = margin
  const headY = tableTop + row / 2
  const head = { size: 12, ink: '--text-2' } as const
  write(picture.headings.rank, left + columnsAt.rank, headY, { ...head, align: 'right' })
  write(picture.headings.team, left + columnsAt.team, headY, head)
  write(picture.headings.solved, left + columnsAt.solved, headY, { ...head, align: 'right' })
  write(picture.headings.score, left + columnsAt.score, headY, { ...head, align: 'right' })
  standings.forEach(({ team, rank, solves }, index) => {
    const top = tableTop + row * (index + 1)
    const middle = top + row / 2
    if (team.id === picture.ownTeamId) {
      pen.fillStyle = color('--brand-3')
      pen.fillRect(left - 8, top, width - margin * 2 + 16, row)
    }
    pen.fillStyle = color('--line')
    pen.fillRect(left - 8, top, width - margin * 2 + 16, 1)
    write(formatNumber(rank), left + columnsAt.rank, middle, { ink: '--text-2', align: 'right' })
    write(team.name, left + columnsAt.team, middle, { weight: 560, max: 290 })
    write(formatNumber(team.solvedCount), left + columnsAt.solved, middle, { align: 'right' })
    write(formatNumber(team.score), left + columnsAt.score, middle, { weight: 640, align: 'right' })
    shownCells.forEach((column, position) => {
      const solve = solves.get(column.id)
      const x = left + columnsAt.cells + position * cell + cell / 2
      const place = solve && bloodPlace(solve.type)
      pen.fillStyle = color(place ? `--blood-${place}` : solve ? '--text-3' : '--line-strong')
      const mark = new Path2D(place ? createBloodPath(place, x, middle) : undefined)
      if (!place) mark.arc(x, middle, solve ? 4 : 1.2, 0, Math.PI * 2)
      pen.fill(mark, 'evenodd')
    })
  })
  if (picture.more) write(picture.more, left + columnsAt.team, tableTop + row * (standings.length + 1.5), { ink: '--text-3' })
  return canvas
}

type Ink = Readonly<{
  size?: number
  weight?: number
  ink?: string
  align?: CanvasTextAlign
  max?: number
}>

type Write = (text: string, x: number, y: number, ink?: Ink) => void

type ChartPlace = Readonly<{
  width: number
  color: (name: string) => string
  write: Write
}>

function drawChart(
  pen: CanvasRenderingContext2D,
  { lines, span, scheme, ownTeamId }: Picture,
  { width, color, write }: ChartPlace,
): void {
  const axis = { size: 12, ink: '--text-3' } as const
  const { scale, area, levels, moments } = layOutTimeline(lines, span, { width, height: chartHeight, size: axis.size })
  pen.save()
  pen.translate(margin, chartTop)
  pen.fillStyle = color('--line')
  for (const { place } of levels) pen.fillRect(area.left, Math.round(place), area.right - area.left, 1)
  for (const { place, text } of levels) write(text, area.left - 8, place, { ...axis, align: 'right' })
  for (const { place, text } of moments) write(text, place, area.bottom + 16, { ...axis, align: 'center' })
  const ends = lines.map(({ score }) => scale.y(score))
  const places = moveLabelsApart(ends, labelGap, labelGap / 2, chartHeight - labelGap / 2)
  lines.toReversed().forEach((line) => {
    pen.strokeStyle = getLineColor(scheme, line.place)
    pen.lineWidth = line.teamId === ownTeamId ? 3.5 : 2
    pen.stroke(new Path2D(createStepPath(line, scale)))
  })
  lines.forEach((line, index) => {
    const y = places[index] ?? 0
    pen.strokeStyle = getLineColor(scheme, line.place)
    pen.lineWidth = 1.5
    pen.beginPath()
    pen.moveTo(area.right, ends[index] ?? y)
    pen.lineTo(width + 6, y)
    pen.stroke()
    write(String(line.place), width + 26, y, { weight: 620, size: 13, ink: getLineColor(scheme, line.place), align: 'right' })
    write(line.name, width + 34, y, { size: 13, max: 130 })
    write(formatNumber(line.score), width + labelWidth - 6, y, { size: 13, ink: '--text-2', align: 'right' })
  })
  pen.restore()
}

/** Shortens a text to a width of `max` pixels and adds an ellipsis. */
function shortened(pen: CanvasRenderingContext2D, text: string, max: number): string {
  if (pen.measureText(text).width <= max) return text
  const letters = [...text]
  while (letters.length > 1 && pen.measureText(`${letters.join('')}…`).width > max) letters.pop()
  return `${letters.join('')}…`
}

export async function downloadPicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const blob = await new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((made) => (made ? resolve(made) : reject(new Error('The picture is too large for this browser'))), 'image/png')
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `${name}.png`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
