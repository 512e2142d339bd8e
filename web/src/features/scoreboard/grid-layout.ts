import type { ScoreboardTeam } from '@capstan/contract/scoreboard'

/** Widths and heights of the board, CSS pixels. The style sheet reads them as custom properties. */
export type GridLayout = Readonly<{
  row: number
  column: number
  /** Titles, points and categories together. */
  head: number
  /** 0: not shown. */
  points: number
  rank: number
  /** 0: not shown. */
  overallRank: number
  team: number
  score: number
  solved: number
  bloods: number
}>

/** Height of a row of the list that phones show instead, CSS pixels. */
export const listRow = 64

/** The line of categories, with what is around it. */
const headBase = 20
/** Of slanted titles. */
const letterHeight = 3.9
const titleMin = 40
const titleMax = { low: 60, tall: 84 } as const
/** Distance between the lines of two neighboring titles. */
const titleLine = 15.2
/** Slope of titles, degrees: wider columns have flatter and therefore longer titles. */
const minSlope = 22
/** Free space below and above a title. */
const besideTitle = 35
const radians = Math.PI / 180

/** Slope of the titles over columns of this width, degrees. */
function slopeOf(column: number): number {
  return Math.max(minSlope, Math.round(Math.asin(Math.min(1, titleLine / column)) / radians))
}

/** Length by which the last title may exceed its column. */
const tail = 72

/** Length of the titles along their slope: what fits under the upper edge, and for the last one before the end. */
function titleLength({ head, points, column }: Pick<GridLayout, 'head' | 'points' | 'column'>): number {
  const slope = slopeOf(column) * radians
  return Math.floor(Math.min((head - points - besideTitle) / Math.sin(slope), (tail + column / 2) / Math.cos(slope)))
}

const normal: Omit<GridLayout, 'head' | 'points'> = {
  row: 34,
  column: 30,
  rank: 56,
  overallRank: 72,
  team: 236,
  score: 84,
  solved: 84,
  bloods: 114,
}

/** How far columns grow where there is room. */
const columnMax = 44
const teamMax = 400

const rowsInSight = 8

/** Whether the visitor's own team is repeated at the top: only when its row is out of sight. */
export function isPinned(ownTeamId: number, teams: readonly ScoreboardTeam[]): boolean {
  return teams.length > rowsInSight || !teams.some(({ id }) => id === ownTeamId)
}

type LayoutNeeds = Readonly<{
  /** A division is chosen. */
  hasOverallRank: boolean
  /** A tablet. */
  isNarrow: boolean
  /** A window with room for longer titles and for points. */
  isTall: boolean
  /** Letters of the longest title. */
  titleLetters: number
  /** Of the challenges. */
  columnCount: number
  /** Of the board, CSS pixels; 0 while it is not known. */
  width: number
}>

export function gridLayout({ hasOverallRank, isNarrow, isTall, titleLetters, columnCount, width }: LayoutNeeds): GridLayout {
  const titles = Math.min(titleMax[isTall ? 'tall' : 'low'], Math.max(titleMin, 14 + titleLetters * letterHeight))
  const points = isTall ? 14 : 0
  return grown(
    {
      ...normal,
      head: headBase + points + Math.round(titles),
      points,
      overallRank: hasOverallRank ? normal.overallRank : 0,
      ...(isNarrow && { team: 168, rank: 48, score: 72 }),
    },
    columnCount,
    width,
  )
}

/** What a wide window has left goes to the challenges, so that marks are told apart more easily, then to the names. */
function grown(layout: GridLayout, columnCount: number, width: number): GridLayout {
  const room = Math.max(0, width - totalWidth(layout, columnCount))
  const wider = Math.min(columnMax - layout.column, Math.floor(room / Math.max(1, columnCount)))
  return {
    ...layout,
    column: layout.column + wider,
    team: layout.team + Math.max(0, Math.min(teamMax - layout.team, room - wider * columnCount)),
  }
}

/** What stays while scrolling sideways. */
export function frozenWidth({ rank, overallRank, team, score }: GridLayout): number {
  return rank + overallRank + team + score
}

/** Where the challenges begin. */
export function leadWidth(layout: GridLayout): number {
  return frozenWidth(layout) + layout.solved + layout.bloods
}

/** With what the last title reaches beyond its column. */
function totalWidth(layout: GridLayout, columnCount: number): number {
  return leadWidth(layout) + columnCount * layout.column + tail
}

export function gridProperties(layout: GridLayout, columnCount: number): Record<`--${string}`, string> {
  return {
    '--row': `${layout.row}px`,
    '--column': `${layout.column}px`,
    '--head': `${layout.head}px`,
    '--points': `${layout.points}px`,
    '--slope': `${-slopeOf(layout.column)}deg`,
    '--title': `${titleLength(layout)}px`,
    '--rank': `${layout.rank}px`,
    '--overall-rank': `${layout.overallRank}px`,
    '--team': `${layout.team}px`,
    '--score': `${layout.score}px`,
    '--solved': `${layout.solved}px`,
    '--bloods': `${layout.bloods}px`,
    '--frozen': `${frozenWidth(layout)}px`,
    '--lead': `${leadWidth(layout)}px`,
    '--cells': `${columnCount * layout.column}px`,
    '--total': `${totalWidth(layout, columnCount)}px`,
  }
}
