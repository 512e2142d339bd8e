import { type Static, Type } from 'typebox'
import { Id } from './kit.ts'
import { InputLimits, Limits, notEmpty } from './limits.ts'

/** Filters that select the recipients of a mail among the participants of a game. */
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

/** Setting of a user: whether the user gets mails about games. */
export const GameMailChoice = Type.Object({ hasGameMail: Type.Boolean() }, { title: 'GameMailChoice' })

/** State of the user's own address: whether mails to this address are refused, and whether the user can change the address. */
export const OwnMailState = Type.Object(
  {
    isRefused: Type.Boolean({ description: 'True if the last mail to the current address was refused permanently (5xx).' }),
    canChange: Type.Boolean({
      description: 'True if this platform sends links to new addresses. If false, only admins change addresses.',
    }),
  },
  { title: 'OwnMailState' },
)

export const UnsubscribeQuery = Type.Object({
  token: Type.String({ ...notEmpty, maxLength: InputLimits.maxTokenLength, description: 'From the link in a mail.' }),
})
