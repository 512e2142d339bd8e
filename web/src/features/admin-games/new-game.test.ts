import { describe, expect, it } from 'vitest'
import { faultsOf, proposeGame, toGameWrite, toLocalInput } from './new-game.ts'

const game = { title: 'Harbour Trials', start: '2026-05-01T09:00', end: '2026-05-03T09:00', hidden: true }

describe('a new game', () => {
  it('is proposed for tomorrow at nine, two days long, without a title', () => {
    expect(proposeGame(new Date(2026, 3, 30, 17, 42))).toEqual({ ...game, title: '' })
  })

  it('needs a title, both times, and an end after the start', () => {
    expect([...faultsOf(game)]).toEqual([])
    expect([...faultsOf({ ...game, title: ' ' })]).toEqual(['title'])
    expect([...faultsOf({ ...game, start: '', end: '' })]).toEqual(['start', 'end'])
    expect([...faultsOf({ ...game, end: game.start })]).toEqual(['order'])
  })

  it('is sent with instants, whatever the zone of the browser', () => {
    const sent = toGameWrite({ ...game, title: ' Harbour Trials ' })
    expect(sent.title).toBe('Harbour Trials')
    expect(sent.start).toMatch(/Z$/)
    expect(toLocalInput(new Date(sent.start))).toBe('2026-05-01T09:00')
    expect(sent.writeupDeadline).toBe(sent.end)
  })
})
