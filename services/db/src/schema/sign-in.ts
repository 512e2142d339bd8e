import { signInKinds } from '@capstan/contract/vocabulary'
import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { instantColumn, sqlList } from './columns.ts'
import { teams } from './teams.ts'

/** Names of the claims that fill the fields of an account. With an empty name, no claim fills the field. */
export type StoredClaims = Readonly<{
  userName: string
  realName: string
  stdNumber: string
  /**
   * Name of a claim. A user becomes an admin if this claim contains `adminValue`. If the name is empty, no user becomes an admin.
   */
  adminClaim: string
  adminValue: string
  /**
   * Names of the claims that contain the team and the division. Rows from earlier versions lack these names. A missing name counts
   * as empty.
   */
  team?: string
  division?: string
}>

/** Identity providers with which users can log in (ADR 69). */
export const signInProviders = pgTable(
  'sign_in_providers',
  {
    id: uuid('id').primaryKey(),
    /** Key of the provider, which is part of its callback address. */
    key: text('key').notNull().unique('sign_in_providers_key_key'),
    kind: text('kind', { enum: signInKinds }).notNull(),
    name: text('name').notNull(),
    /** Issuer of an OpenID Connect provider, through which its addresses are discovered. Empty for other kinds. */
    issuer: text('issuer').notNull(),
    clientId: text('client_id').notNull(),
    /** Client secret, which is encrypted with the server secret. Null if the platform is a public client of the provider. */
    clientSecret: text('client_secret'),
    scope: text('scope').notNull(),
    claims: jsonb('claims').$type<StoredClaims>().notNull(),
    isEnabled: boolean('is_enabled').notNull().default(false),
    /** True if a log-out also ends the session at the provider. */
    endsSession: boolean('ends_session').notNull().default(false),
    /**
     * True if each sign-in adds the user to the team that the provider names. If false, a sign-in adds the user only if no
     * earlier sign-in has added the user to a team.
     */
    teamsEachTime: boolean('teams_each_time').notNull().default(false),
  },
  (table) => [check('sign_in_providers_kind_check', sql`${table.kind} in ${sqlList(signInKinds)}`)],
)

/**
 * Links from accounts at identity providers to users. An account is identified by its subject, which never changes, unlike names
 * and addresses.
 */
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
    linkedAt: instantColumn('linked_at').notNull().defaultNow(),
    /** Key with which the provider identifies the user's last team. Null if no sign-in has added the user to a team. */
    teamKey: text('team_key'),
    /** Division that the provider sent at the last sign-in. Empty if the provider sent no division. */
    division: text('division').notNull().default(''),
  },
  (table) => [
    primaryKey({ columns: [table.providerId, table.subject] }),
    unique('sign_in_identities_provider_user_key').on(table.providerId, table.userId),
    index('sign_in_identities_user_id_idx').on(table.userId),
  ],
)

/**
 * Links from teams at identity providers to local teams (ADR 74). A local team is never found by its name, because users choose
 * names.
 */
export const signInTeams = pgTable(
  'sign_in_teams',
  {
    providerId: uuid('provider_id')
      .notNull()
      .references(() => signInProviders.id, { onDelete: 'cascade' }),
    /** Id or name that identifies the team at the provider. */
    key: text('key').notNull(),
    teamId: integer('team_id')
      .notNull()
      .references(() => teams.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.providerId, table.key] }), unique('sign_in_teams_team_id_key').on(table.teamId)],
)
