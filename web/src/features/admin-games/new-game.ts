import type { AdminGameWrite } from '@capstan/contract/games'

/** As typed; times are instants, empty while they are not entered. */
export type NewGame = Readonly<{
  title: string
  start: string
  end: string
  hidden: boolean
  /** The start that was there before none was, as it is while a month or an hour is typed. */
  startBefore?: string
}>

type NewGameFault = 'title' | 'start' | 'end' | 'order'

/** A game that starts tomorrow at nine and lasts two days: something sensible to change. */
export function proposeGame(now: Date): NewGame {
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9)
  const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 3, 9)
  return { title: '', start: start.toISOString(), end: end.toISOString(), hidden: true }
}

/** What is missing: title and time must be entered, the end after the start. */
export function faultsOf(game: NewGame): ReadonlySet<NewGameFault> {
  const faults = new Set<NewGameFault>()
  const [start, end] = [Date.parse(game.start), Date.parse(game.end)]
  if (game.title.trim() === '') faults.add('title')
  if (Number.isNaN(start)) faults.add('start')
  if (Number.isNaN(end)) faults.add('end')
  if (end <= start) faults.add('order')
  return faults
}

/** Another start moves the end along: a game keeps its length. */
export function movedTo(game: NewGame, start: string): NewGame {
  const from = game.start || game.startBefore || ''
  if (start === '') return { ...game, start, startBefore: from }
  const end = Date.parse(game.end) + Date.parse(start) - Date.parse(from)
  return { ...game, start, end: Number.isNaN(end) ? game.end : new Date(end).toISOString() }
}

/** The body of the call. Writeups are due at the end of the game until the details say otherwise. */
export function toGameWrite({ title, start, end, hidden }: NewGame): AdminGameWrite {
  return {
    title: title.trim(),
    start,
    end,
    writeupDeadline: end,
    hidden,
  }
}
