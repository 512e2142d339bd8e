// Sessions of the user's own account. Rules: docs/contract/sessions-and-accounts.md#sessions.
import { type Static, Type } from 'typebox'
import { nullableString } from './kit.ts'

const instantMs = Type.Integer({ format: 'int64', description: 'Milliseconds since 1970, UTC.' })

export const AccountSession = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    isCurrent: Type.Boolean({ description: 'True for the session of this call.' }),
    browser: nullableString({
      description: 'Name of the browser or program, if the `User-Agent` header of the login reveals it.',
    }),
    system: nullableString({ description: 'Name of the operating system, from the same header.' }),
    address: Type.String({ description: 'Client address of the last call.' }),
    openedAt: instantMs,
    lastUsedAt: instantMs,
  },
  { title: 'AccountSession' },
)
export type AccountSession = Static<typeof AccountSession>
