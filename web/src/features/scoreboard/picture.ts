import { formatNumber } from '../../lib/format.ts'
import type { Scheme } from '../../lib/palette.ts'
import { lineColor } from './line-colors.ts'
import { spread } from './spread.ts'
import { bloodPlace, type ChallengeColumn, type Standing } from './standings.ts'
import type { TimelineLine } from './timeline.ts'

/** What is drawn; all texts are ready to be read. */
export interface Picture {
  readonly title: string
  readonly subtitle: string
  readonly scheme: Scheme
  readonly lines: readonly TimelineLine[]
  /** The chart as it is on screen, and where each line ends in it, 0..1 from its top. */
  readonly chart: { readonly canvas: HTMLCanvasElement; readonly ends: readonly number[] } | undefined
  readonly columns: readonly ChallengeColumn[]
  readonly standings: readonly Standing[]
  readonly ownTeamId: number | undefined
  readonly headings: { readonly rank: string; readonly team: string; readonly solved: string; readonly score: string }
  /** Below the rows: how many teams are not shown. */
  readonly more: string | undefined
}

const margin = 32
const row = 30
const cell = 20
const chartTop = 92
const chartHeightMax = 320
const labelGap = 24
const labelWidth = 230
const columnsAt = { rank: 34, team: 50, solved: 400, score: 480, cells: 506 } as const
const cellsMax = 70
/** Sharp on dense screens and in print. */
const density = 2

/** Draws title, chart and standings on a canvas, with the colors the page has now. */
export function drawPicture(picture: Picture): HTMLCanvasElement {
  const { title, subtitle, columns, standings, chart } = picture
  const shownCells = columns.length <= cellsMax ? columns : []
  const width = Math.max(1080, margin * 2 + columnsAt.cells + shownCells.length * cell)
  const chartSize = chart && fitted(chart.canvas, width - margin * 2 - labelWidth)
  const tableTop = chartTop + (chartSize ? Math.max(chartSize.height, labelGap * picture.lines.length) + 20 : 0)
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
  if (chart && chartSize) drawChart(pen, picture, chart, { size: chartSize, write })

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
      pen.beginPath()
      pen.arc(x, middle, place ? 7 : solve ? 4 : 1.2, 0, Math.PI * 2)
      pen.fill()
      if (place) write(String(place), x, middle + 0.5, { size: 10, weight: 700, ink: '--neutral-1', align: 'center' })
    })
  })
  if (picture.more) write(picture.more, left + columnsAt.team, tableTop + row * (standings.length + 1.5), { ink: '--text-3' })
  return canvas
}

interface Ink {
  readonly size?: number
  readonly weight?: number
  /** Token or color. */
  readonly ink?: string
  readonly align?: CanvasTextAlign
  /** Widest, pixels. */
  readonly max?: number
}

type Write = (text: string, x: number, y: number, ink?: Ink) => void

interface Size {
  readonly width: number
  readonly height: number
}

/** As large as fits, in its own proportions. */
function fitted(canvas: HTMLCanvasElement, widthMax: number): Size {
  const scale = Math.min(widthMax / canvas.width, chartHeightMax / canvas.height)
  return { width: canvas.width * scale, height: canvas.height * scale }
}

function drawChart(
  pen: CanvasRenderingContext2D,
  { lines, scheme }: Picture,
  chart: NonNullable<Picture['chart']>,
  { size, write }: { readonly size: Size; readonly write: Write },
): void {
  pen.drawImage(chart.canvas, margin, chartTop, size.width, size.height)
  const ends = chart.ends.map((end) => chartTop + end * size.height)
  const lowest = chartTop + Math.max(size.height, labelGap * lines.length) - labelGap / 2
  const places = spread(ends, labelGap, chartTop + labelGap / 2, lowest)
  lines.forEach((line, index) => {
    const y = places[index]
    if (y === undefined) return
    const x = margin + size.width
    pen.strokeStyle = lineColor(scheme, line.place)
    pen.lineWidth = 1.5
    pen.beginPath()
    pen.moveTo(x - 12, ends[index] ?? y)
    pen.lineTo(x + 6, y)
    pen.stroke()
    write(String(line.place), x + 26, y, { weight: 620, size: 13, ink: lineColor(scheme, line.place), align: 'right' })
    write(line.name, x + 34, y, { size: 13, max: 130 })
    write(formatNumber(line.score), x + labelWidth - 6, y, { size: 13, ink: '--text-2', align: 'right' })
  })
}

/** The text with an ellipsis where it is wider than `max` pixels. */
function shortened(pen: CanvasRenderingContext2D, text: string, max: number): string {
  if (pen.measureText(text).width <= max) return text
  const letters = [...text]
  while (letters.length > 1 && pen.measureText(`${letters.join('')}…`).width > max) letters.pop()
  return `${letters.join('')}…`
}

/** Hands the canvas to the visitor as a PNG file. */
export async function savePicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const blob = await new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((made) => (made ? resolve(made) : reject(new Error('The picture is too large for this browser'))), 'image/png')
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = `${name}.png`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
