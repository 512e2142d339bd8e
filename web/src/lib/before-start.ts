import type { AdminGame } from '@capstan/contract/games'
import type { ReadyCounts } from '@capstan/contract/readiness'

type StepName = 'times' | 'text' | 'poster' | 'joining' | 'writeup' | 'challenges' | 'flags' | 'containers' | 'published'

type Step = Readonly<{
  name: StepName
  /** State of the step. `open`: required and not done. `note`: optional and not done. `check`: done when the game is published. */
  state: 'done' | 'open' | 'note' | 'check'
}>

function isBlank(text: string) {
  return text.trim() === ''
}

/** Returns the steps to complete before the start of a game, in the order of the game's pages. */
export function listStepsBeforeStart(
  game: AdminGame,
  { total, enabled, withoutFlag, containers, withoutImage, untested }: ReadyCounts,
): readonly Step[] {
  const must = (isDone: boolean) => (isDone ? 'done' : 'open')
  const may = (isDone: boolean) => (isDone ? 'done' : 'note')
  const steps: readonly (Step | false)[] = [
    // A new game has default times. The organizer confirms the times by publishing the game.
    { name: 'times', state: game.hidden ? 'check' : 'done' },
    { name: 'text', state: must(!isBlank(game.summary) || !isBlank(game.content)) },
    { name: 'poster', state: may(game.poster !== null) },
    { name: 'joining', state: 'done' },
    game.writeupRequired && { name: 'writeup', state: must(Date.parse(game.writeupDeadline) > Date.parse(game.end)) },
    { name: 'challenges', state: enabled === 0 ? 'open' : may(enabled === total) },
    // A challenge needs a flag before it can be enabled. Challenges that are not enabled may remain drafts.
    total > 0 && { name: 'flags', state: enabled === 0 ? must(withoutFlag === 0) : may(withoutFlag === 0) },
    containers > 0 && { name: 'containers', state: must(withoutImage === 0 && untested === 0) },
    { name: 'published', state: must(!game.hidden) },
  ]
  return steps.filter((step) => step !== false)
}

export function countOpenSteps(game: AdminGame, counts: ReadyCounts): number {
  return listStepsBeforeStart(game, counts).filter(({ state }) => state === 'open').length
}
