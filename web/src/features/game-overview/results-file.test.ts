import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { expect, it } from 'vitest'
import { createResultsCsv } from './results-file.ts'

function team(rank: number, name: string) {
  return { rank, name, score: 1500 - rank, solvedCount: 3 } as ScoreboardTeam
}
function textOf(...names: string[]) {
  return createResultsCsv(
    ['Rank', 'Team', 'Points', 'Solved'],
    names.map((name, index) => team(index + 1, name)),
  ).text()
}

it('the file has one line per team, in the order of the board', async () => {
  expect(await textOf('Gull', 'Été')).toBe('Rank,Team,Points,Solved\r\n1,Gull,1499,3\r\n2,Été,1498,3\r\n')
})

it('the rank of a team without an overall rank is empty', async () => {
  expect(await createResultsCsv(['Rank', 'Team', 'Points', 'Solved'], [team(0, 'Guest')]).text()).toContain('\r\n,Guest,1500,3')
})

it('the file quotes names that contain separators, and prevents spreadsheets from reading names as formulas', async () => {
  expect(await textOf('a,"b" c', '=1+1', '@SUM(A1)', '-2')).toBe(
    'Rank,Team,Points,Solved\r\n1,"a,""b"" c",1499,3\r\n2,\'=1+1,1498,3\r\n3,\'@SUM(A1),1497,3\r\n4,\'-2,1496,3\r\n',
  )
})
