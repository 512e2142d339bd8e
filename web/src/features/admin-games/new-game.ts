import type { AdminGameWrite } from '@capstan/contract/games'

/** As typed; times as `datetime-local` inputs hold them, in the visitor's zone. */
export interface NewGame {
  readonly title: string
  readonly start: string
  readonly end: string
  readonly hidden: boolean
}

type NewGameFault = 'title' | 'start' | 'end' | 'order'

const two = (value: number) => String(value).padStart(2, '0')

/** A date as a `datetime-local` input holds it, in the visitor's zone. */
export const toLocalInput = (date: Date): string =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`

/** Milliseconds, or NaN while the input is not complete. */
export const instantOf = (local: string): number => (local === '' ? Number.NaN : new Date(local).getTime())

/** A game that starts tomorrow at nine and lasts two days: something sensible to change. */
export function proposeGame(now: Date): NewGame {
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1, 9)
  const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 3, 9)
  return { title: '', start: toLocalInput(start), end: toLocalInput(end), hidden: true }
}

/** What is missing: title and time must be entered, the end after the start. */
export function faultsOf(game: NewGame): ReadonlySet<NewGameFault> {
  const faults = new Set<NewGameFault>()
  const [start, end] = [instantOf(game.start), instantOf(game.end)]
  if (game.title.trim() === '') faults.add('title')
  if (Number.isNaN(start)) faults.add('start')
  if (Number.isNaN(end)) faults.add('end')
  if (end <= start) faults.add('order')
  return faults
}

/** The body of the call. Writeups are due at the end of the game until the details say otherwise. */
export const toGameWrite = ({ title, start, end, hidden }: NewGame): AdminGameWrite => {
  const ends = new Date(instantOf(end)).toISOString()
  return { title: title.trim(), start: new Date(instantOf(start)).toISOString(), end: ends, writeupDeadline: ends, hidden }
}
