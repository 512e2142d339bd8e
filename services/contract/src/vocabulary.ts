/** Solvers that are honored, in order; the words of notices and of the scoreboard. */
export const bloodTypes = ['FirstBlood', 'SecondBlood', 'ThirdBlood'] as const
export type BloodType = (typeof bloodTypes)[number]

/** In the order in which players see them. */
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

/** How hard a challenge is in the words of who made it, from the easiest on. */
export const difficulties = ['beginner', 'easy', 'medium', 'hard', 'insane'] as const

/** What a participation can be; each can follow each. Rules: docs/contract/games-and-joining.md. */
export const verdicts = ['Pending', 'Accepted', 'Rejected', 'Suspended'] as const
export type Verdict = (typeof verdicts)[number]

/** What an API token opens, in order: each scope opens what those before it do. */
export const tokenScopes = ['ReadGame', 'WriteChallenges', 'WritePlatform'] as const

/** Kinds of monitoring events that can be filtered. */
export const eventKinds = ['flags', 'cheats', 'instances', 'other'] as const
export type EventKind = (typeof eventKinds)[number]
