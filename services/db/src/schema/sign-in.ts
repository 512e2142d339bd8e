import { signInKinds } from '@capstan/contract/vocabulary'
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { instant, sqlList } from './columns.ts'
import { teams } from './teams.ts'

/** Names of the claims from which the fields of an account are filled. An empty name means that no claim fills the field. */
export type StoredClaims = Readonly<{
  userName: string
  realName: string
  stdNumber: string
  /** A user whose claim with this name contains `adminValue` becomes an admin. If the name is empty, no user becomes an admin. */
  adminClaim: string
  adminValue: string
  /** Claims of team and division. Absent in rows of earlier versions, as if empty. */
  team?: string
  division?: string
}>

/** Identity providers with which users can log in (ADR 69). */
export const signInProviders = pgTable(
  'sign_in_providers',
  {
    id: uuid('id').primaryKey(),
    /** Part of the callback address. */
    key: text('key').notNull().unique('sign_in_providers_key_key'),
    kind: text('kind', { enum: signInKinds }).notNull(),
    name: text('name').notNull(),
    /** Issuer of an OpenID Connect provider, from which its addresses are discovered. Empty for other kinds. */
    issuer: text('issuer').notNull(),
    clientId: text('client_id').notNull(),
    /** Client secret, sealed. Null if the client is public. */
    clientSecret: text('client_secret'),
    scope: text('scope').notNull(),
    claims: jsonb('claims').$type<StoredClaims>().notNull(),
    isEnabled: boolean('is_enabled').notNull().default(false),
    /** True if a log-out also ends the session at the provider. */
    endsSession: boolean('ends_session').notNull().default(false),
    /** True if each sign-in adds the user to the team that the provider names. If false, only the first sign-in does. */
    teamsEachTime: boolean('teams_each_time').notNull().default(false),
  },
  (table) => [check('sign_in_providers_kind_check', sql`${table.kind} in ${sqlList(signInKinds)}`)],
)

/** Accounts at identity providers that are linked to a user. The subject never changes, unlike names and addresses. */
export const signInIdentities = pgTable(
  'sign_in_identities',
  {
    providerId: uuid('provider_id')
      .notNull()
      .references(() => signInProviders.id, { onDelete: 'cascade' }),
    subject: text('subject').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Name or address of the account at the provider when it was linked. */
    label: text('label').notNull(),
    linkedAt: instant('linked_at').notNull().defaultNow(),
    /** Team of the provider that the last sign-in added the user to. Null if no sign-in has done so. */
    teamKey: text('team_key'),
    /** Division that the provider named at the last sign-in. Empty if it named none. */
    division: text('division').notNull().default(''),
  },
  (table) => [
    primaryKey({ columns: [table.providerId, table.subject] }),
    unique('sign_in_identities_provider_user_key').on(table.providerId, table.userId),
    index('sign_in_identities_user_id_idx').on(table.userId),
  ],
)

/**
 * Teams of identity providers, and the local team of each (ADR 74). A local team is never found by its name, because users choose
 * names.
 */
export const signInTeams = pgTable(
  'sign_in_teams',
  {
    providerId: uuid('provider_id')
      .notNull()
      .references(() => signInProviders.id, { onDelete: 'cascade' }),
    /** Id or name of the team at the provider. */
    key: text('key').notNull(),
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.providerId, table.key] }), unique('sign_in_teams_team_id_key').on(table.teamId)],
)
