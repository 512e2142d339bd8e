import type { AdminGameWrite } from '@capstan/contract/games'

/** New game as entered in the form. Times are in ISO format, or empty. */
export type NewGame = Readonly<{
  title: string
  start: string
  end: string
  hidden: boolean
  /** Last valid value of `start`. It replaces `start` while `start` is empty. */
  startBefore?: string
}>

type NewGameFault = 'title' | 'start' | 'end' | 'order'

/** Returns a draft of a game that starts tomorrow at nine and lasts two days. */
export function draftNewGame(now: Date): NewGame {
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9)
  const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 3, 9)
  return { title: '', start: start.toISOString(), end: end.toISOString(), hidden: true }
}

/** Returns the missing or invalid parts: the title, a time, or the order of start and end. */
export function findNewGameFaults(game: NewGame): ReadonlySet<NewGameFault> {
  const faults = new Set<NewGameFault>()
  const [start, end] = [Date.parse(game.start), Date.parse(game.end)]
  if (game.title.trim() === '') faults.add('title')
  if (Number.isNaN(start)) faults.add('start')
  if (Number.isNaN(end)) faults.add('end')
  if (end <= start) faults.add('order')
  return faults
}

/** Moves the start, and moves the end by the same duration, so that the length of the game does not change. */
export function moveGameStart(game: NewGame, start: string): NewGame {
  const from = game.start || game.startBefore || ''
  if (start === '') return { ...game, start, startBefore: from }
  const end = Date.parse(game.end) + Date.parse(start) - Date.parse(from)
  return { ...game, start, end: Number.isNaN(end) ? game.end : new Date(end).toISOString() }
}

/** Returns the request body that creates the game. Writeups are due at the end of the game. */
export function toCreateGameRequest({ title, start, end, hidden }: NewGame): AdminGameWrite {
  return {
    title: title.trim(),
    start,
    end,
    writeupDeadline: end,
    hidden,
  }
}
