/**
 * Every constant of the product, with its unit in the name. Source: Spec §5, §9; behaviour of sessions, tokens and instances.
 * Schemas repeat none of these: they import them or are generated from the same contract.
 */
export const Limits = {
  passwordMinLength: 6,
  divisionCodeMinLength: 6,
  divisionCodeMaxLength: 32,
  flagMaxLength: 127,
  flagTemplateMaxLength: 120,
  teamNameMaxLength: 20,
  /** A team may be handed to a user who is captain of fewer teams than this. */
  captainOfTeamsMax: 3,
  imageMaxBytes: 3 * 1024 * 1024,
  writeupMaxBytes: 20 * 1024 * 1024,
  avatarWidthPx: 300,
  logoWidthPx: 640,
  faviconWidthPx: 256,
  sessionDays: 7,
  mailTokenHours: 3,
  searchHits: 30,
  recentGames: 10,
  instanceCooldownSeconds: 10,
  testInstanceMinutes: 120,
  /**
   * Open at once. Counted by each gateway process for itself: the limit keeps one container from using up a gateway, and an
   * answer must not wait for the other replicas. With several, a container may have so many through each.
   */
  proxyConnectionsPerInstance: 64,
  proxyFrameMaxBytes: 4096,
  proxyConnectionMinutes: 30,
  /** Instances, in minutes, until an admin changes them. Spec §9. */
  defaultLifetimeMinutes: 120,
  extensionDurationMinutes: 120,
  renewalWindowMinutes: 10,
  /** Leet entropy that a template without [GUID] and [TEAM_HASH] must reach. */
  flagEntropyBitsMin: 32,
} as const

/** Rate limits, per user, else per address. Contract `x-rate-limits`, design: per user instead of for all together. */
export const RateLimits = {
  global: { perMinute: 150, segments: 6, queued: 60 },
  register: { count: 20, windowSeconds: 150 },
  submit: { capacity: 100, refill: 50, refillSeconds: 5 },
  container: { capacity: 120, refill: 30, refillSeconds: 10 },
  concurrency: { running: 1, queued: 20 },
} as const
