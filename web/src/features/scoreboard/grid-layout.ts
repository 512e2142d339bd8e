import type { ScoreboardTeam } from '@capstan/contract/scoreboard'

/** Widths and heights of the board, CSS pixels. The style sheet reads them as custom properties. */
export interface GridLayout {
  readonly row: number
  readonly column: number
  /** Category line, titles and points together. */
  readonly head: number
  readonly rank: number
  /** 0: not shown. */
  readonly overallRank: number
  readonly team: number
  readonly score: number
  readonly solved: number
  readonly types: number
}

/** Height of a row of the list that phones show instead, CSS pixels. */
export const listRow = 64

/** Without titles. */
const headBase = 62
const letterWidth = 7
const titleMin = 56
const titleMax = 132

const normal: Omit<GridLayout, 'head'> = {
  row: 42,
  column: 34,
  rank: 60,
  overallRank: 76,
  team: 232,
  score: 84,
  solved: 76,
  types: 122,
}

const rowsInSight = 8

/** Whether the visitor's own team is repeated at the top: only when its row is out of sight. */
export const isPinned = (ownTeamId: number, teams: readonly ScoreboardTeam[]): boolean =>
  teams.length > rowsInSight || !teams.some(({ id }) => id === ownTeamId)

interface LayoutNeeds {
  /** A division is chosen. */
  readonly hasOverallRank: boolean
  /** A tablet. */
  readonly isNarrow: boolean
  /** Letters of the longest title. */
  readonly titleLetters: number
}

export const gridLayout = ({ hasOverallRank, isNarrow, titleLetters }: LayoutNeeds): GridLayout => ({
  ...normal,
  head: headBase + Math.round(Math.min(titleMax, Math.max(titleMin, titleLetters * letterWidth))),
  overallRank: hasOverallRank ? normal.overallRank : 0,
  ...(isNarrow && { team: 168, rank: 52, score: 72 }),
})

/** What stays while scrolling sideways. */
export const frozenWidth = ({ rank, overallRank, team, score }: GridLayout): number => rank + overallRank + team + score

/** Where the challenges begin. */
export const leadWidth = (layout: GridLayout): number => frozenWidth(layout) + layout.solved + layout.types

export const gridProperties = (layout: GridLayout, columnCount: number): Record<`--${string}`, string> => ({
  '--row': `${layout.row}px`,
  '--column': `${layout.column}px`,
  '--head': `${layout.head}px`,
  '--rank': `${layout.rank}px`,
  '--overall-rank': `${layout.overallRank}px`,
  '--team': `${layout.team}px`,
  '--score': `${layout.score}px`,
  '--solved': `${layout.solved}px`,
  '--types': `${layout.types}px`,
  '--frozen': `${frozenWidth(layout)}px`,
  '--lead': `${leadWidth(layout)}px`,
  '--total': `${leadWidth(layout) + columnCount * layout.column + 12}px`,
})
