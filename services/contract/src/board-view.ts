import { type Static, Type } from 'typebox'
import { additive, stringEnum } from './kit.ts'

const BoardView = stringEnum(['public', 'live'], {
  ...additive,
  default: 'public',
  description: '`live`: the present, even while the board is frozen (monitors only).',
})
/**
 * `live` is the current board, for monitors and the platform itself. `public` is for players and visitors, who see a frozen board
 * from the freeze until the reveal.
 */
export type BoardView = Static<typeof BoardView>

export const BoardViewQuery = Type.Object({ view: Type.Optional(BoardView) })
