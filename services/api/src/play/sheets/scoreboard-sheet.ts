import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { LanguageCode } from '@capstan/contract/languages'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { type SheetWord, serverTexts } from '@capstan/contract/server-texts'
import { type CellValue, joinMembers, sheetTime } from './cells.ts'
import type { SheetContent } from './workbook.ts'

/** Player with the data that organizers need for prizes and certificates. */
export type SheetMember = Readonly<{
  realName: string
  stdNumber: string
  phone: string | null
}>

export type SheetPeople = Readonly<{
  /** Real name of the captain, even if the captain has not joined the game. */
  captains: ReadonlyMap<number, string>
  /** Members who joined the game. */
  members: ReadonlyMap<number, readonly SheetMember[]>
}>

const columnsBefore: readonly SheetWord[] = ['rank', 'team']
const columnsAfter: readonly SheetWord[] = ['captain', 'members', 'studentNumbers', 'phones', 'solved', 'lastSolve']

/**
 * Returns the scoreboard as a sheet, with one column of points for each challenge.
 * Rules: docs/contract/captures-and-monitor.md#spreadsheets.
 */
export function scoreboardSheet(
  board: Scoreboard,
  hasDivisions: boolean,
  { captains, members }: SheetPeople,
  language: LanguageCode,
): SheetContent {
  const challenges = Object.values(board.challenges).flat()
  const words = serverTexts[language].sheets
  // Points paid for hints have a column once a team has bought one.
  const hasPurchases = board.items.some(({ boughtHints }) => boughtHints !== undefined)
  const columns = [
    ...columnsBefore,
    ...(hasDivisions ? (['division', 'divisionRank'] as const) : []),
    ...columnsAfter,
    ...(hasPurchases ? (['hints'] as const) : []),
    'score',
  ] as const
  const rowOf = (team: Scoreboard['items'][number]): CellValue[] => {
    const people = members.get(team.id) ?? []
    const points = new Map(team.solvedChallenges.map(({ id, score }) => [id, score]))
    return [
      // The cell is empty if the team has no overall rank.
      team.rank || '',
      team.name,
      ...(hasDivisions ? [team.organization ?? '', team.organizationRank ?? ''] : []),
      joinMembers([captains.get(team.id) ?? null]),
      joinMembers(people.map(({ realName }) => realName)),
      joinMembers(people.map(({ stdNumber }) => stdNumber)),
      joinMembers(people.map(({ phone }) => phone)),
      team.solvedCount,
      team.lastSubmissionTime === noSubmissionTime ? '' : sheetTime(new Date(team.lastSubmissionTime)),
      ...(hasPurchases ? [0 - (team.boughtHints ?? []).reduce((sum, { price }) => sum + price, 0)] : []),
      team.score,
      ...challenges.map(({ id }) => points.get(id) ?? 0),
    ]
  }
  return {
    name: words.scoreboard,
    header: [...columns.map((column) => words[column]), ...challenges.map(({ title }) => title)],
    rows: board.items.map(rowOf),
  }
}
