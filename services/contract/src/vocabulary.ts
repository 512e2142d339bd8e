/** Types of bloods, from the first to the third, for notices and the scoreboard. */
export const bloodTypes = ['FirstBlood', 'SecondBlood', 'ThirdBlood'] as const
export type BloodType = (typeof bloodTypes)[number]

/** Categories in the order in which they are shown. */
export const challengeCategories = [
  'Misc',
  'Crypto',
  'Pwn',
  'Web',
  'Reverse',
  'Blockchain',
  'Forensics',
  'Hardware',
  'Mobile',
  'PPC',
  'AI',
  'Pentest',
  'OSINT',
] as const

/** Difficulty labels that the author of a challenge can choose, the easiest first. */
export const difficulties = ['beginner', 'easy', 'medium', 'hard', 'insane'] as const

/** States of a participation. Every state can change to every other state. See docs/contract/games-and-joining.md. */
export const verdicts = ['Pending', 'Accepted', 'Rejected', 'Suspended'] as const
export type Verdict = (typeof verdicts)[number]

/** Scopes of API tokens, the smallest first. Each scope includes the scopes before it in this list. */
export const tokenScopes = ['ReadGame', 'WriteChallenges', 'WritePlatform'] as const

/**
 * Kinds of identity providers. The platform discovers the addresses of a provider of the kind `OpenId`. All other kinds have
 * fixed addresses.
 */
export const signInKinds = ['OpenId', 'GitHub', 'Ctftime'] as const

export const eventKinds = ['flags', 'cheats', 'instances', 'other'] as const
export type EventKind = (typeof eventKinds)[number]

/** Kinds of corrections: an organizer granted a solve or took it back. */
export const correctionKinds = ['Granted', 'TakenBack'] as const

/** Kinds of records in the history of changes to a game's scores. */
export const recordKinds = [
  'game',
  'challenge',
  'flag',
  'division',
  'right',
  'participation',
  'solve',
  'found',
  'award',
  'hint',
] as const

/** Visibilities of a challenge for teams that have not unlocked it. */
export const lockedViews = ['Shown', 'Hidden'] as const

/** Scopes of a question of the registration: one answer for the whole team, or one answer for each member. */
export const questionScopes = ['Team', 'Member'] as const

/** Kinds of questions, which differ in the form of the answer. */
export const questionKinds = ['ShortText', 'LongText', 'Choice', 'Choices', 'File', 'Consent'] as const

/** Services to which webhooks send events. `Json` stands for any other receiver. */
export const webhookServices = ['Json', 'Discord', 'Slack', 'Telegram', 'Mattermost', 'Matrix'] as const

/** Kinds of events that everyone may see. */
export const publicKinds = [
  'GameStarted',
  'GameEnded',
  'BoardFrozen',
  'ChallengeReleased',
  ...bloodTypes,
  'Solve',
  'Notice',
] as const

/** Kinds of events that only organizers may see. */
export const organizerKinds = ['InstanceFailed', 'SuspectedCheating', 'Ticket'] as const

/** Reasons of an instance that failed or is starting. For each reason, organizers see a text in their language. */
export const instanceReasons = [
  'ImagePullFailed',
  'InvalidImage',
  'ImageRunsAsRoot',
  'CrashLooping',
  'Crashed',
  'OutOfMemory',
  'ContainerFailed',
  'Unschedulable',
  'QuotaExceeded',
  'PodRefused',
  'FlagMissing',
  'NameTaken',
  'DependencyFailed',
  'NamesMissing',
  'NotAnswering',
  'StartFailed',
  'EngineMissing',
  'NotBundled',
  'NotCreated',
  'EndedEarly',
  'StoppedEarly',
  'Created',
  'Starting',
  'Scheduling',
  'Pulling',
  'WaitingForDependency',
  'Restarting',
  'Evicted',
  'PodFailed',
  'Ending',
] as const

/**
 * States of an event that was or will be sent to a webhook. `Held` means that the event waits for the end of a freeze. The
 * database stores `Held` as `Pending`.
 */
export const webhookStates = ['Pending', 'Held', 'Delivered', 'Refused', 'Dropped'] as const

/** Filters for the list of tickets of a game. */
export const ticketViews = ['open', 'unassigned', 'mine', 'closed', 'all'] as const

/** Policies that say which users must have a second factor. */
export const secondFactorPolicies = ['Optional', 'Admins', 'Organizers'] as const
export type SecondFactorPolicy = (typeof secondFactorPolicies)[number]

export const surveyModes = ['Off', 'Named', 'Anonymous'] as const

/**
 * Reasons why a terminal in a container ends. `ended`: the shell or the container ended. `left`: the browser disconnected.
 * `session`: the admin's session or role ended, or the instance ended. `time`, `idle` and `input`: a limit was reached.
 * `stopping`: the api process stops.
 */
export const terminalEnds = ['ended', 'left', 'idle', 'time', 'session', 'input', 'stopping'] as const
export type TerminalEnd = (typeof terminalEnds)[number]
