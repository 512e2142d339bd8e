import type { Scoreboard } from '@capstan/contract/scoreboard'

/** Returns a board without some teams. The other teams retain their ranks, so a rank may be missing. */
export function omitTeamsFromBoard(board: Scoreboard, isHidden: (teamId: number) => boolean): Scoreboard {
  const isShown = ({ id }: { readonly id: number }) => !isHidden(id)
  return {
    ...board,
    items: board.items.filter(isShown),
    timeLines: Object.fromEntries(Object.entries(board.timeLines).map(([name, lines]) => [name, lines.filter(isShown)])),
    challenges: Object.fromEntries(
      Object.entries(board.challenges).map(([category, list]) => [
        category,
        list.map((challenge) => ({ ...challenge, bloods: challenge.bloods.filter(isShown) })),
      ]),
    ),
  }
}
