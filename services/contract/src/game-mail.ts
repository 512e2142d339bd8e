import { type Static, Type } from 'typebox'
import { Id } from './kit.ts'
import { InputLimits, Limits, notEmpty } from './limits.ts'

/** Members of teams in a game who get a mail. */
const audience = {
  onlyAccepted: Type.Optional(Type.Boolean({ default: false, description: 'False for teams of every status.' })),
  divisionId: Type.Optional(Id),
}

export const GameMailAudience = Type.Object(audience)
export type GameMailAudience = Static<typeof GameMailAudience>

export const GameMail = Type.Object(
  {
    ...audience,
    subject: Type.String({ ...notEmpty, maxLength: Limits.maxGameMailSubjectLength }),
    text: Type.String({ ...notEmpty, maxLength: Limits.maxGameMailTextLength, description: 'Plain text.' }),
  },
  { title: 'GameMail' },
)
export type GameMail = Static<typeof GameMail>

export const GameMailReach = Type.Object(
  { recipients: Type.Integer({ format: 'int32', description: 'Number of mails, one for each user.' }) },
  { title: 'GameMailReach' },
)
export type GameMailReach = Static<typeof GameMailReach>

/** Choice of a user whether to get mails about games. */
export const GameMailChoice = Type.Object({ hasGameMail: Type.Boolean() }, { title: 'GameMailChoice' })

/** Tells whether mails to the address of a user are refused. */
export const OwnMailState = Type.Object(
  { isRefused: Type.Boolean({ description: 'True if the last mail to the current address was refused permanently (5xx).' }) },
  { title: 'OwnMailState' },
)

export const UnsubscribeQuery = Type.Object({
  token: Type.String({ ...notEmpty, maxLength: InputLimits.maxTokenLength, description: 'From the link in a mail.' }),
})
