import { describe, expect, it } from 'vitest'
import { listEndPresets, listStartPresets } from '../../components/editing/local-time.ts'
import { draftNewGame, findNewGameFaults, moveGameStart, toCreateGameRequest } from './new-game.ts'

function at(day: number, hour = 9) {
  return new Date(2026, 4, day, hour).toISOString()
}
const game = { title: 'Harbour Trials', start: at(1), end: at(3), hidden: true }

describe('a new game', () => {
  it('a new game starts tomorrow at nine, lasts two days and has no title yet', () => {
    expect(draftNewGame(new Date(2026, 3, 30, 17, 42))).toEqual({ ...game, title: '' })
  })

  it('the check requires a title, a start, and an end after the start', () => {
    expect([...findNewGameFaults(game)]).toEqual([])
    expect([...findNewGameFaults({ ...game, title: ' ' })]).toEqual(['title'])
    expect([...findNewGameFaults({ ...game, start: '', end: '' })]).toEqual(['start', 'end'])
    expect([...findNewGameFaults({ ...game, end: game.start })]).toEqual(['order'])
  })

  it('a new game keeps its length if its start moves, even while the entered start is incomplete', () => {
    expect(moveGameStart(game, at(8))).toEqual({ ...game, start: at(8), end: at(10) })
    const halfTyped = moveGameStart(moveGameStart(game, ''), '')
    expect(halfTyped).toMatchObject({ start: '', end: at(3) })
    expect(moveGameStart(halfTyped, at(8))).toMatchObject({ start: at(8), end: at(10) })
  })

  it('the request contains the new game as entered in the form, with writeups that are due at its end', () => {
    expect(toCreateGameRequest({ ...game, title: ' Harbour Trials ' })).toEqual({ ...game, writeupDeadline: at(3) })
  })
})

describe('the suggested times', () => {
  it('the suggested starts are tomorrow and the next Saturday, or only one time if both are the same day', () => {
    // May 1, 2026 is a Friday. On that day, tomorrow and the next Saturday are the same day, so only one time is suggested.
    expect(listStartPresets(new Date(2026, 3, 29, 12)).map((preset) => preset.at)).toEqual([
      new Date(2026, 3, 30, 9).toISOString(),
      at(2),
    ])
    expect(listStartPresets(new Date(2026, 4, 1, 12)).map((preset) => preset.at)).toEqual([at(2)])
    expect(listStartPresets(new Date(2026, 4, 2, 7)).map((preset) => preset.at)).toEqual([at(3), at(9)])
  })

  it('the suggested ends are eight hours, one day and two days after the start', () => {
    expect(listEndPresets(at(1)).map((preset) => preset.at)).toEqual([at(1, 17), at(2), at(3)])
    expect(listEndPresets('')).toEqual([])
  })
})
