import { type Static, Type } from 'typebox'
import { ContainerChoices } from './container-definition.ts'
import { AdminGameWrite } from './games.ts'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'
import { InputLimits, notEmpty } from './limits.ts'
import { tokenScopes } from './vocabulary.ts'

export const sourceNamePattern = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$'

/** Name that identifies a game or challenge in the files of a repository. */
export const SourceName = Type.String({
  pattern: sourceNamePattern,
  maxLength: InputLimits.maxWordLength,
  description: 'Small letters, digits and hyphens.',
})

/**
 * Digest of each field's value at the time when the files were last applied. When the files are applied again, the digests show
 * which fields were changed on the platform.
 */
const Remembered = Type.Record(Type.String(), Type.String({ maxLength: InputLimits.sha256HexLength }), {
  propertyNames: Type.String({ ...notEmpty, maxLength: InputLimits.maxWordLength }),
  maxProperties: InputLimits.maxRememberedFields,
  description: 'Field -> digest from the client.',
})

const instant = nullableString({ format: 'date-time', description: 'Time of the last apply.' })

export const ChallengeSource = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    name: Type.String(),
    remembered: Type.Record(Type.String(), Type.String()),
    appliedAt: instant,
  },
  { title: 'ChallengeSource' },
)
export type ChallengeSource = Static<typeof ChallengeSource>

/** Files that define a game and its challenges. */
export const GameSource = Type.Object(
  {
    name: nullableString({ description: 'Null without a source file.' }),
    remembered: Type.Record(Type.String(), Type.String()),
    appliedAt: instant,
    challenges: Type.Array(ChallengeSource, { description: 'Challenges with a source file.' }),
  },
  { title: 'GameSource' },
)
export type GameSource = Static<typeof GameSource>

export const SourceWrite = Type.Object({ name: SourceName, remembered: Remembered }, { title: 'SourceWrite' })
export type SourceWrite = Static<typeof SourceWrite>

export const ChallengeOpened = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    isNew: Type.Boolean({ description: 'True if it was created; false if it existed and did not change.' }),
  },
  { title: 'ChallengeOpened' },
)
export type ChallengeOpened = Static<typeof ChallengeOpened>

export const GameOpen = Type.Object({ name: SourceName, settings: AdminGameWrite }, { title: 'GameOpen' })
export type GameOpen = Static<typeof GameOpen>

export const GameOpened = Type.Object({ id: Type.Integer({ format: 'int32' }), isNew: Type.Boolean() }, { title: 'GameOpened' })
export type GameOpened = Static<typeof GameOpened>

export const GameFound = Type.Object(
  { id: nullableInteger({ format: 'int32', description: 'Null if no game has this name.' }) },
  { title: 'GameFound' },
)
export type GameFound = Static<typeof GameFound>

/** Rights of the caller to edit games and challenges. */
export const EditGrant = Type.Object(
  {
    name: nullableString({ description: 'Scope of the API token; null for a session.' }),
    scope: stringEnum(tokenScopes),
    gameId: nullableInteger({ format: 'int32', description: 'The only game of the token.' }),
    choices: ContainerChoices,
  },
  { title: 'EditGrant' },
)
export type EditGrant = Static<typeof EditGrant>
