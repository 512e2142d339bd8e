/** Types of bloods in order, for notices and the scoreboard. */
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

/** Difficulties that the author of a challenge can choose, the easiest first. */
export const difficulties = ['beginner', 'easy', 'medium', 'hard', 'insane'] as const

/** States of a participation. Each state can follow any other. See docs/contract/games-and-joining.md. */
export const verdicts = ['Pending', 'Accepted', 'Rejected', 'Suspended'] as const
export type Verdict = (typeof verdicts)[number]

/** Scopes of API tokens. Each scope includes all earlier ones. */
export const tokenScopes = ['ReadGame', 'WriteChallenges', 'WritePlatform'] as const

/** Kinds of identity providers. The addresses of `OpenId` are discovered. All other kinds have fixed addresses. */
export const signInKinds = ['OpenId', 'GitHub', 'Ctftime'] as const

export const eventKinds = ['flags', 'cheats', 'instances', 'other'] as const
export type EventKind = (typeof eventKinds)[number]

/** Changes that an organizer makes to a solve. */
export const correctionKinds = ['Granted', 'TakenBack'] as const

/** Kinds of records in the history of a game's scores. */
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

/** Views of a challenge for a team that has not unlocked it. */
export const lockedViews = ['Shown', 'Hidden'] as const

/** Respondents to a question of the registration. */
export const questionScopes = ['Team', 'Member'] as const

/** Kinds of questions, which differ in the form of the answer. */
export const questionKinds = ['ShortText', 'LongText', 'Choice', 'Choices', 'File', 'Consent'] as const

/** Services that receive events of the platform. `Json` is any other receiver. */
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

/** States of an event for a webhook. `Held` is stored as `Pending`: the event waits for the end of a freeze. */
export const webhookStates = ['Pending', 'Held', 'Delivered', 'Refused', 'Dropped'] as const

/** Views of the tickets of a game. */
export const ticketViews = ['open', 'unassigned', 'mine', 'closed', 'all'] as const

/** Users of whom a second factor is required. */
export const secondFactorPolicies = ['Optional', 'Admins', 'Organizers'] as const
export type SecondFactorPolicy = (typeof secondFactorPolicies)[number]

/** Modes of the survey after a game. */
export const surveyModes = ['Off', 'Named', 'Anonymous'] as const

/**
 * Reasons why a terminal in a container ends. `ended`: the shell or the container ended. `left`: the browser disconnected.
 * `session`: the session, the role or the instance of the terminal ended.
 */
export const terminalEnds = ['ended', 'left', 'idle', 'time', 'session', 'input', 'stopping'] as const
export type TerminalEnd = (typeof terminalEnds)[number]
