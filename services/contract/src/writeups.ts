import { type Static, Type } from 'typebox'
import { withSchemaOptions } from './kit.ts'
import { TeamInfo } from './teams.ts'

export const WriteupState = Type.Object(
  {
    submitted: Type.Boolean(),
    name: Type.String({ description: '`#` if none.' }),
    fileSize: Type.Integer({ format: 'int64' }),
    note: Type.String({ description: "The game's instructions." }),
  },
  { title: 'WriteupState' },
)
export type WriteupState = Static<typeof WriteupState>

/**
 * Writeup deadline of a game, as the response of a separate call. The challenge board contains the deadline, too. The separate
 * call is needed, because the board is not available after the end of a game without practice mode.
 */
export const WriteupDeadline = Type.Object(
  { writeupDeadline: Type.String({ format: 'date-time' }) },
  { title: 'WriteupDeadline' },
)
export type WriteupDeadline = Static<typeof WriteupDeadline>

export const WriteupEntry = Type.Object(
  {
    id: Type.Integer({ format: 'int32', description: 'Participation id.' }),
    team: withSchemaOptions(TeamInfo, { description: '`members` is null here.' }),
    url: Type.String({ description: 'Path under /assets.' }),
    uploadTimeUtc: Type.String({ format: 'date-time' }),
  },
  { title: 'WriteupEntry' },
)
export type WriteupEntry = Static<typeof WriteupEntry>
