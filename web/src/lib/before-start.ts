import type { AdminGame } from '@capstan/contract/games'
import type { ReadyCounts } from '@capstan/contract/readiness'

type StepName = 'times' | 'text' | 'poster' | 'joining' | 'writeup' | 'challenges' | 'flags' | 'containers' | 'published'

interface Step {
  readonly name: StepName
  /** `open` is left to do; `note` may stay as it is; `check` is confirmed by publishing. */
  readonly state: 'done' | 'open' | 'note' | 'check'
}

const isBlank = (text: string) => text.trim() === ''

/** What an organizer does before a game starts, in the order of its pages; what the game does not need is left out. */
export function stepsOf(
  game: AdminGame,
  { total, enabled, withoutFlag, containers, withoutImage, untested }: ReadyCounts,
): readonly Step[] {
  const must = (isDone: boolean) => (isDone ? 'done' : 'open')
  const may = (isDone: boolean) => (isDone ? 'done' : 'note')
  const steps: readonly (Step | false)[] = [
    // A new game has proposed times. Publishing shows and confirms them.
    { name: 'times', state: game.hidden ? 'check' : 'done' },
    { name: 'text', state: must(!isBlank(game.summary) || !isBlank(game.content)) },
    { name: 'poster', state: may(game.poster !== null) },
    { name: 'joining', state: 'done' },
    game.writeupRequired && { name: 'writeup', state: must(Date.parse(game.writeupDeadline) > Date.parse(game.end)) },
    { name: 'challenges', state: enabled === 0 ? 'open' : may(enabled === total) },
    // Without a flag none can be enabled: others may stay what they are, drafts.
    total > 0 && { name: 'flags', state: enabled === 0 ? must(withoutFlag === 0) : may(withoutFlag === 0) },
    containers > 0 && { name: 'containers', state: must(withoutImage === 0 && untested === 0) },
    { name: 'published', state: must(!game.hidden) },
  ]
  return steps.filter((step) => step !== false)
}

/** How many things are left to do. */
export const leftOf = (game: AdminGame, counts: ReadyCounts): number =>
  stepsOf(game, counts).filter(({ state }) => state === 'open').length
