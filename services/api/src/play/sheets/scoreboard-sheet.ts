import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { LanguageCode } from '@capstan/contract/languages'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { type SheetWord, serverTexts } from '@capstan/contract/server-texts'
import { formatUtcTime } from '../../rules/utc-time.ts'
import { type CellValue, joinMemberValuesInOneCell } from './cells.ts'
import type { SheetContent } from './sheet.ts'

/** Player with the data that organizers need for prizes and certificates. */
export type SheetMember = Readonly<{
  userName: string
  realName: string
  stdNumber: string
  phone: string | null
  email: string
}>

export type SheetPeople = Readonly<{
  /** Real name of each team's captain by team id, even if the captain has not joined the game. */
  captains: ReadonlyMap<number, string>
  /** Members who joined the game, by team id. */
  members: ReadonlyMap<number, readonly SheetMember[]>
}>

export type SheetOptions = Readonly<{
  hasDivisions: boolean
  /** True if the caller may see the members' email addresses. */
  hasEmails: boolean
}>

type Column = readonly [SheetWord, (team: ScoreboardTeam) => CellValue]

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

function columnsOf(board: Scoreboard, { captains, members }: SheetPeople, { hasDivisions, hasEmails }: SheetOptions): Column[] {
  // Columns for hint prices and for awards exist only if at least one team has bought a hint or has an award.
  const hasPurchases = board.items.some(({ boughtHints }) => boughtHints !== undefined)
  const hasAwards = board.items.some(({ awards }) => awards !== undefined)
  const ofMembers = (word: SheetWord, field: keyof SheetMember): Column => [
    word,
    ({ id }) => joinMemberValuesInOneCell((members.get(id) ?? []).map((member) => member[field])),
  ]
  return [
    // The cell is empty if the team has no overall rank.
    ['rank', ({ rank }) => rank || ''],
    ['team', ({ name }) => name],
    ...(hasDivisions
      ? ([
          ['division', ({ organization }) => organization ?? ''],
          ['divisionRank', ({ organizationRank }) => organizationRank ?? ''],
        ] satisfies Column[])
      : []),
    ['captain', ({ id }) => joinMemberValuesInOneCell([captains.get(id) ?? null])],
    ofMembers('members', 'realName'),
    ofMembers('userNames', 'userName'),
    ofMembers('studentNumbers', 'stdNumber'),
    ofMembers('phones', 'phone'),
    ...(hasEmails ? [ofMembers('emails', 'email')] : []),
    ['solved', ({ solvedCount }) => solvedCount],
    ['lastSolve', ({ lastSubmissionTime: time }) => (time === noSubmissionTime ? '' : formatUtcTime(new Date(time)))],
    ...(hasPurchases
      ? ([['hints', ({ boughtHints = [] }) => 0 - sumOf(boughtHints.map(({ price }) => price))]] satisfies Column[])
      : []),
    ...(hasAwards ? ([['awards', ({ awards = [] }) => sumOf(awards.map(({ points }) => points))]] satisfies Column[]) : []),
    ['score', ({ score }) => score],
  ]
}

/**
 * Returns the scoreboard as a spreadsheet, with one column for each challenge. Rules:
 * docs/contract/captures-and-monitor.md#spreadsheets.
 */
export function createScoreboardSheet(
  board: Scoreboard,
  people: SheetPeople,
  options: SheetOptions,
  language: LanguageCode,
): SheetContent {
  const challenges = Object.values(board.challenges).flat()
  const words = serverTexts[language].sheets
  const columns = columnsOf(board, people, options)
  const rowOf = (team: ScoreboardTeam): CellValue[] => {
    const points = new Map(team.solvedChallenges.map(({ id, score }) => [id, score]))
    for (const found of team.foundFlags ?? []) points.set(found.id, (points.get(found.id) ?? 0) + found.points)
    return [...columns.map(([, cellOf]) => cellOf(team)), ...challenges.map(({ id }) => points.get(id) ?? 0)]
  }
  return {
    name: words.scoreboard,
    header: [...columns.map(([word]) => words[word]), ...challenges.map(({ title }) => title)],
    rows: board.items.values().map(rowOf),
  }
}
