import { type Static, Type } from 'typebox'
import { emailInputSchema, NewPassword } from './accounts.ts'
import { ChallengeRef, InstanceHealth } from './challenges.ts'
import { Role } from './common.ts'
import { Id, nullable, nullableBoolean, nullableString, Pages, phoneInputSchema, stringEnum, withSchemaOptions } from './kit.ts'
import { InputLimits, Limits, notEmpty, notNegative, PageLimits } from './limits.ts'
import { TeamRef } from './teams.ts'

export const AdminUser = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    userName: nullableString(),
    realName: nullableString(),
    stdNumber: nullableString(),
    phone: nullableString(),
    bio: nullableString(),
    registerTimeUtc: Type.String({ format: 'date-time' }),
    lastVisitedUtc: Type.String({ format: 'date-time', description: 'Refreshed at most every 5 s.' }),
    ip: Type.String({ description: 'Address of the last request.', default: '0.0.0.0' }),
    email: nullableString(),
    avatar: nullableString(),
    role: Role,
    emailConfirmed: Type.Boolean({ description: "The 'active' flag." }),
  },
  { title: 'AdminUser' },
)
export type AdminUser = Static<typeof AdminUser>

export const AdminUserPage = Type.Object(
  {
    data: Type.Array(AdminUser),
    length: Type.Integer({ format: 'int32', description: 'Items in `data`.' }),
    total: Type.Integer({ format: 'int32', description: 'Total number of items; equals `length` if the call has no paging.' }),
  },
  { title: 'AdminUserPage' },
)
export type AdminUserPage = Static<typeof AdminUserPage>

/** Columns that can sort the list of users. The first column is the default. */
export const userOrders = ['registered', 'name', 'email', 'role', 'number', 'visited'] as const
export type UserOrder = (typeof userOrders)[number]

export const UserFilter = Type.Object({
  hint: Type.Optional(
    Type.String({ ...notEmpty, maxLength: InputLimits.maxSearchLength, description: 'As for `POST /api/admin/users/search`.' }),
  ),
  role: Type.Optional(Role),
  active: Type.Optional(Type.Boolean()),
  game: Type.Optional(withSchemaOptions(Id, { description: 'Users who have joined the game.' })),
  sort: Type.Optional(stringEnum(userOrders, { default: userOrders[0] })),
  descending: Type.Optional(Type.Boolean({ default: true })),
  count: Type.Optional(Pages.count()),
  skip: Type.Optional(Pages.skip),
})
export type UserFilter = Static<typeof UserFilter>

/** Changes to a user by an admin. Absent or null fields remain unchanged. */
export const AdminUserUpdate = Type.Object(
  {
    userName: Type.Optional(nullableString({ minLength: Limits.minUserNameLength, maxLength: Limits.maxUserNameLength })),
    email: Type.Optional(nullableString({ format: 'email', maxLength: InputLimits.maxEmailLength })),
    bio: Type.Optional(nullableString({ maxLength: Limits.maxUserBioLength })),
    phone: Type.Optional(phoneInputSchema()),
    realName: Type.Optional(nullableString({ maxLength: Limits.maxRealNameLength })),
    stdNumber: Type.Optional(nullableString({ maxLength: Limits.maxStudentNumberLength })),
    emailConfirmed: Type.Optional(nullableBoolean()),
    role: Type.Optional(nullable(Role)),
  },
  { title: 'AdminUserUpdate' },
)
export type AdminUserUpdate = Static<typeof AdminUserUpdate>

export const BulkUser = Type.Object(
  {
    userName: Type.String({ minLength: Limits.minUserNameLength, maxLength: Limits.maxUserNameLength }),
    password: NewPassword,
    email: emailInputSchema(),
    realName: Type.Optional(nullableString({ maxLength: Limits.maxRealNameLength })),
    stdNumber: Type.Optional(nullableString({ maxLength: Limits.maxStudentNumberLength })),
    phone: Type.Optional(phoneInputSchema()),
    teamName: Type.Optional(
      nullableString({
        maxLength: Limits.maxBulkTeamNameLength,
        description: 'Users of one request with the same name share one new team; the first is its captain.',
      }),
    ),
  },
  { title: 'BulkUser' },
)
export type BulkUser = Static<typeof BulkUser>

/** Columns that can sort the list of teams. The first column is the default. */
export const teamOrders = ['id', 'name', 'captain', 'members', 'locked'] as const
export type TeamOrder = (typeof teamOrders)[number]

export const TeamFilter = Type.Object({
  hint: Type.Optional(
    Type.String({ ...notEmpty, maxLength: InputLimits.maxSearchLength, description: 'As for `POST /api/admin/teams/search`.' }),
  ),
  locked: Type.Optional(Type.Boolean()),
  game: Type.Optional(withSchemaOptions(Id, { description: 'Teams with a participation in the game.' })),
  sort: Type.Optional(stringEnum(teamOrders, { default: teamOrders[0] })),
  descending: Type.Optional(Type.Boolean({ default: true })),
  count: Type.Optional(Pages.count()),
  skip: Type.Optional(Pages.skip),
})
export type TeamFilter = Static<typeof TeamFilter>

/** Columns that can sort the list of games. The first column is the default. */
export const gameOrders = ['id', 'title', 'start', 'end', 'hidden'] as const
export type GameOrder = (typeof gameOrders)[number]

export const GameFilter = Type.Object({
  hint: Type.Optional(
    Type.String({ ...notEmpty, maxLength: InputLimits.maxSearchLength, description: 'Part of the title, or the id.' }),
  ),
  sort: Type.Optional(stringEnum(gameOrders, { default: gameOrders[0] })),
  descending: Type.Optional(Type.Boolean({ default: true })),
  count: Type.Optional(Pages.count()),
  skip: Type.Optional(Pages.skip),
})
export type GameFilter = Static<typeof GameFilter>

export const AdminTeamUpdate = Type.Object(
  {
    name: Type.Optional(nullableString({ maxLength: Limits.maxTeamNameLength })),
    bio: Type.Optional(nullableString({ maxLength: Limits.maxTeamBioLength })),
    locked: Type.Optional(nullableBoolean()),
  },
  { title: 'AdminTeamUpdate' },
)
export type AdminTeamUpdate = Static<typeof AdminTeamUpdate>

export const ContainerInstance = Type.Object(
  {
    team: nullable(TeamRef),
    challenge: nullable(ChallengeRef),
    image: Type.String(),
    containerGuid: Type.String({ format: 'uuid', description: 'Id for DELETE and for the proxy.' }),
    containerId: Type.String({ description: 'Name given by the container runtime.' }),
    startedAt: Type.String({ format: 'date-time' }),
    expectStopAt: Type.String({ format: 'date-time' }),
    ip: Type.String({ description: 'Public address if it exists, else the internal one.' }),
    port: Type.Integer({ format: 'int32' }),
  },
  { title: 'ContainerInstance' },
)
export type ContainerInstance = Static<typeof ContainerInstance>

export const InstancePage = Type.Object(
  {
    data: Type.Array(ContainerInstance),
    length: Type.Integer({ format: 'int32', description: 'Items in `data`.' }),
    total: Type.Integer({ format: 'int32', description: 'Total number of items; equals `length` if the call has no paging.' }),
  },
  { title: 'InstancePage' },
)
export type InstancePage = Static<typeof InstancePage>

export const LogEntry = Type.Object(
  {
    time: Type.String({ format: 'date-time' }),
    name: nullableString({ description: 'Username, `System` or `Anonymous`.' }),
    level: nullableString({ description: '`Information`, `Warning`, `Error` or `Fatal`.' }),
    ip: nullableString(),
    msg: nullableString(),
    status: nullableString({ description: 'A TaskResult name, or empty.' }),
  },
  { title: 'LogEntry' },
)
export type LogEntry = Static<typeof LogEntry>

/** Columns that can sort the log. The first column is the default. */
export const logOrders = ['time', 'level', 'user', 'address', 'result', 'message'] as const
export type LogOrder = (typeof logOrders)[number]

/** Log levels in increasing severity. */
export const logLevels = ['Information', 'Warning', 'Error', 'Fatal'] as const
export type LogLevel = (typeof logLevels)[number]

export const LogFilter = Type.Object({
  level: Type.Optional(stringEnum(logLevels)),
  sort: Type.Optional(stringEnum(logOrders, { default: logOrders[0] })),
  descending: Type.Optional(Type.Boolean({ default: true })),
  count: Type.Optional(Pages.count(PageLimits.short)),
  skip: Type.Optional(Pages.skip),
})
export type LogFilter = Static<typeof LogFilter>

/** Current state of a team's instance, as its runtime reports it. */
export const InstanceState = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: '`containerGuid` in `GET /api/admin/instances`.' }),
    state: InstanceHealth,
    message: nullableString({
      description: 'State or reason of the failure, as an English sentence; null while the instance runs.',
    }),
    reason: nullableString({ description: 'The message as one PascalCase word; null if there is none.' }),
  },
  { title: 'InstanceState' },
)
export type InstanceState = Static<typeof InstanceState>

/** Latest resource usage of a container or an instance, with its limits. */
const usageFields = {
  cpuMillicores: Type.Integer({ format: 'int32', ...notNegative, description: 'Thousandths of a core.' }),
  cpuLimitMillicores: Type.Integer({ format: 'int32', ...notNegative }),
  memoryBytes: Type.Integer({ format: 'int64', ...notNegative }),
  memoryLimitBytes: Type.Integer({ format: 'int64', ...notNegative }),
}

export const ContainerUsage = Type.Object(usageFields, { title: 'ContainerUsage' })
export type ContainerUsage = Static<typeof ContainerUsage>

/** Container of an instance, for organizers. */
export const ContainerState = Type.Object(
  {
    name: Type.String({ description: '`challenge` if the instance has only this container.' }),
    isReady: Type.Boolean(),
    reason: Type.String({ description: 'Reason of the state, as one PascalCase word.' }),
    message: Type.String({ description: 'Technical detail of the state, in English.' }),
    restarts: Type.Integer({ format: 'int32', ...notNegative, description: 'Including replacements of its pod.' }),
    lastExit: nullableString({ description: 'Reason of the last end, in English; null if it has not ended or it is unknown.' }),
    since: nullableString({ format: 'date-time', description: 'Last change of the state; null if it is unknown.' }),
    usage: nullable(ContainerUsage, {
      description: 'Up to 5 s old; null if it is not measured yet, or if `isMeasured` is false.',
    }),
  },
  { title: 'ContainerState' },
)
export type ContainerState = Static<typeof ContainerState>

export const InstanceContainers = Type.Object(
  {
    containers: Type.Array(ContainerState, { description: 'The entry first. Empty if the runtime does not know them.' }),
    hasLogs: Type.Boolean({ description: 'True if `GET /api/admin/instances/{id}/containers/{name}/log` is available.' }),
    hasEvents: Type.Boolean({ description: 'True if `GET /api/admin/instances/{id}/containers/{name}/events` is available.' }),
    isTest: Type.Boolean({ description: 'True for a test instance.' }),
    hasTerminal: Type.Boolean({ description: 'True if the platform has terminals in containers of test instances.' }),
    isMeasured: Type.Boolean({ description: 'False if nothing measures containers, for example without a metrics server.' }),
  },
  { title: 'InstanceContainers' },
)
export type InstanceContainers = Static<typeof InstanceContainers>

/** Kubernetes event of the pod in which a container runs, for organizers. */
export const ContainerEvent = Type.Object(
  {
    type: stringEnum(['Normal', 'Warning']),
    reason: Type.String({ description: 'One PascalCase word.' }),
    message: Type.String({ description: 'In English.' }),
    count: Type.Integer({ format: 'int32', ...notNegative, description: 'Number of occurrences.' }),
    lastAt: Type.String({ format: 'date-time', description: 'Time of the last occurrence.' }),
  },
  { title: 'ContainerEvent' },
)
export type ContainerEvent = Static<typeof ContainerEvent>

/** Latest resource usage of a team's instance, with the limits of its containers. */
export const InstanceUsage = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: '`containerGuid` in `GET /api/admin/instances`.' }),
    ...usageFields,
  },
  { title: 'InstanceUsage' },
)
export type InstanceUsage = Static<typeof InstanceUsage>
