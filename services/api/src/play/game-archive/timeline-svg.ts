import type { TeamTimeline } from '@capstan/contract/scoreboard'
import { type Html, html } from './html.ts'

const width = 960
const height = 320
const margin = { left: 56, right: 12, top: 12, bottom: 28 }

/**
 * Returns the color of a team's line.
 * @param place position of the team in the list
 */
export function lineColorAt(place: number): string {
  return `hsl(${(place * 137) % 360} 65% 48%)`
}

/** Returns the points over time as SVG, one stepped line for each team. */
export function renderTimelineSvg(lines: readonly TeamTimeline[], start: Date, end: Date, label: string): Html {
  const scores = lines.flatMap(({ items }) => items.map(({ score }) => score))
  const [low, high] = [Math.min(0, ...scores), Math.max(1, ...scores)]
  const span = Math.max(1, end.getTime() - start.getTime())
  const round = (value: number) => Math.round(value * 10) / 10
  const x = (time: number) => {
    const share = Math.min(1, Math.max(0, (time - start.getTime()) / span))
    return round(margin.left + share * (width - margin.left - margin.right))
  }
  const y = (score: number) => round(margin.top + ((high - score) / (high - low)) * (height - margin.top - margin.bottom))
  const path = ({ items }: TeamTimeline) =>
    [
      `M${x(start.getTime())} ${y(0)}`,
      ...items.map(({ time, score }) => `H${x(Date.parse(time))}V${y(score)}`),
      `H${x(end.getTime())}`,
    ].join('')
  const grid = [...new Set([low, 0, Math.round(high / 2), high])]
  const minuteOf = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ')
  return html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${grid.map(
    (score) =>
      html`<line x1="${margin.left}" x2="${width - margin.right}" y1="${y(score)}" y2="${y(score)}"/><text x="${margin.left - 8}" y="${y(score) + 4}" text-anchor="end">${score}</text>`,
  )}<text x="${margin.left}" y="${height - 8}">${minuteOf(start)}</text><text x="${width - margin.right}" y="${height - 8}" text-anchor="end">${minuteOf(end)} UTC</text>${lines.map(
    (line, place) => html`<path d="${path(line)}" stroke="${lineColorAt(place)}"/>`,
  )}</svg>`
}
