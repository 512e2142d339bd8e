import type { ScoreboardTeam } from '@capstan/contract/scoreboard'

/** Widths and heights of the board, in CSS pixels. The style sheet uses them as custom properties. */
export type GridLayout = Readonly<{
  row: number
  column: number
  /** Total height of titles, points and categories. */
  head: number
  points: number
  rank: number
  overallRank: number
  team: number
  score: number
  solved: number
  bloods: number
}>

export const listRow = 64

/** Height of the row with the categories, including its margins. */
const headBase = 20
/** Height that each letter adds to a slanted title. */
const letterHeight = 3.9
const minTitle = 40
const maxTitle = { low: 60, tall: 84 } as const
/** Distance between the text lines of two neighboring titles. */
const titleLine = 15.2
/** Minimum slope of titles, in degrees. In wider columns titles are flatter, so that longer titles fit. */
const minSlope = 17
/** Space above and below a title. */
const besideTitle = 35
const radians = Math.PI / 180

/** Returns the slope of titles for this column width, in degrees. */
function slopeOf(column: number): number {
  return Math.max(minSlope, Math.round(Math.asin(Math.min(1, titleLine / column)) / radians))
}

/** Maximum width of the part of the last title that extends beyond its column. */
const tail = 96

/**
 * Returns the maximum length of slanted titles. The upper edge of the header limits all titles, and the right edge of the board
 * limits the last title.
 */
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

/** Maximum width of a column. */
const maxColumn = 52
const maxTeam = 400

const rowsInSight = 8

/** True if the user's team has an additional row at the top, because its normal row may not be visible. */
export function hasPinnedOwnRow(ownTeamId: number, teams: readonly ScoreboardTeam[]): boolean {
  return isLongerThanSight(teams) || !teams.some(({ id }) => id === ownTeamId)
}

/** True if the board has more rows than are visible at once. The user's team then always gets an additional row at the top. */
export function isLongerThanSight({ length }: readonly ScoreboardTeam[]): boolean {
  return length > rowsInSight
}

type LayoutNeeds = Readonly<{
  /** True if the rows also show the overall rank, because a division is selected. */
  hasOverallRank: boolean
  /** True if the board is narrow, as on a tablet. */
  isNarrow: boolean
  /** True if the window is tall. Column headings then also show points. */
  isTall: boolean
  titleLetters: number
  columnCount: number
  /** Width of the board in CSS pixels, or 0 if it is unknown. */
  width: number
}>

export function computeGridLayout({
  hasOverallRank,
  isNarrow,
  isTall,
  titleLetters,
  columnCount,
  width,
}: LayoutNeeds): GridLayout {
  const titles = Math.min(maxTitle[isTall ? 'tall' : 'low'], Math.max(minTitle, 14 + titleLetters * letterHeight))
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

/** Distributes spare width first to the challenge columns, so that marks are easier to distinguish, and then to the names. */
function grown(layout: GridLayout, columnCount: number, width: number): GridLayout {
  const room = Math.max(0, width - totalWidth(layout, columnCount))
  const wider = Math.min(maxColumn - layout.column, Math.floor(room / Math.max(1, columnCount)))
  return {
    ...layout,
    column: layout.column + wider,
    team: layout.team + Math.max(0, Math.min(maxTeam - layout.team, room - wider * columnCount)),
  }
}

/** Returns the total width of the columns that do not scroll horizontally. */
export function widthOfFixedColumns({ rank, overallRank, team, score }: GridLayout): number {
  return rank + overallRank + team + score
}

export function widthBeforeFirstChallenge(layout: GridLayout): number {
  return widthOfFixedColumns(layout) + layout.solved + layout.bloods
}

/** Returns the total width, including the part of the last title that extends beyond its column. */
function totalWidth(layout: GridLayout, columnCount: number): number {
  return widthBeforeFirstChallenge(layout) + columnCount * layout.column + tail
}

export function toGridCssProperties(layout: GridLayout, columnCount: number): Record<`--${string}`, string> {
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
    '--frozen': `${widthOfFixedColumns(layout)}px`,
    '--lead': `${widthBeforeFirstChallenge(layout)}px`,
    '--cells': `${columnCount * layout.column}px`,
    '--total': `${totalWidth(layout, columnCount)}px`,
  }
}
