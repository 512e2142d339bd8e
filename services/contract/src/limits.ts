/** Constants of the product, with units in their names. Schemas import them. */
export const Limits = {
  minPasswordLength: 6,
  /** Length of a generated password. */
  randomPasswordLength: 16,
  minUserNameLength: 3,
  maxUserNameLength: 15,
  maxUserBioLength: 128,
  maxRealNameLength: 128,
  maxStudentNumberLength: 64,
  /** Length of the code of a game without division codes. */
  maxGameCodeLength: 32,
  minDivisionCodeLength: 6,
  maxDivisionCodeLength: 32,
  maxFlagLength: 127,
  /** Length of a regular expression for flags. */
  maxFlagPatternLength: 256,
  /** Instructions of a compiled pattern. Each is run at most once per character of an answer. */
  maxFlagPatternInstructions: 1_000,
  /** Number of pattern or case-insensitive flags per challenge, because each is checked for every wrong answer. */
  maxFlagRules: 20,
  /** Number of rows in the first part of a scoreboard. */
  leadingTeams: 50,
  /** Number of latest solvers of a challenge beside the board. */
  latestSolvers: 6,
  /** Submissions to a challenge that a team can list, the newest ones. */
  maxListedAttempts: 50,
  /** Attempts per team and challenge that an organizer can allow. */
  maxSubmissionLimit: 10_000,
  /** Cool-down of a team after a wrong answer. */
  maxCooldownSeconds: 86_400,
  /** Points of one award, in either direction. */
  maxAwardPoints: 1_000_000,
  /** Length of the reason for an award. */
  maxReasonLength: 200,
  maxChallengeTags: 10,
  maxChallengeTagLength: 30,
  maxFlagTemplateLength: 120,
  /** Length in a flag, in hex digits. */
  teamHashLength: 12,
  maxTeamNameLength: 20,
  /** Length of a team name that is created with its users, as in the reference. */
  maxBulkTeamNameLength: 15,
  maxTeamBioLength: 72,
  /** Code points of the keys that make names unique. Some characters of a name expand to eighteen. */
  maxNameKeyLength: 256,
  /** A team can only be transferred to a user who is captain of fewer teams than this. */
  maxTeamsPerCaptain: 3,
  maxImageBytes: 3 * 1024 * 1024,
  /** Working memory for a picture by its header: 12 megapixels in every format except AVIF, which gets 9. */
  maxPictureMemoryBytes: 180 * 1024 * 1024,
  /** Total memory of the process that decodes pictures. A larger one is killed, regardless of the header. */
  maxPictureProcessBytes: 256 * 1024 * 1024,
  maxPicturePixels: 50_000_000,
  /** All frames of an animation together, because browsers decode all of them. */
  maxPictureFramePixels: 100_000_000,
  maxStoredPictureBytes: 8 * 1024 * 1024,
  /** Processor time to decode and store one picture. Reading its header gets a twentieth. */
  maxPictureCpuSeconds: 10,
  /** Wall-clock time to decode a picture, regardless of the machine's load. */
  maxPictureSeconds: 60,
  /** One picture is decoded at a time. This many wait, up to this time. */
  maxWaitingPictures: 16,
  maxPictureWaitSeconds: 30,
  /** Concurrent uploads per user and process. */
  maxConcurrentUploads: 8,
  /**
   * Bytes of concurrent bodies in memory per process, in total and per user. The limit per user is two pictures, so that a few
   * users cannot block others.
   */
  maxBufferedUploadBytes: 48 * 1024 * 1024,
  maxBufferedUploadBytesPerUser: 6 * 1024 * 1024,
  /** Bytes of pending answers to slow clients per process. Smaller answers are not counted. */
  maxPendingAnswersBytes: 64 * 1024 * 1024,
  minCountedAnswerBytes: 64 * 1024,
  /** Minimum rate of an upload while its body is awaited. Slower ones are cancelled. */
  minUploadBytesPerSecond: 4096,
  uploadPaceSeconds: 20,
  /** Bytes of a refused body that are still read, so that its sender receives the answer. */
  maxIgnoredUploadBytes: 64 * 1024 * 1024,
  maxWriteupBytes: 20 * 1024 * 1024,
  /** Size of an archive with challenges, or of another platform's export. */
  maxImportBytes: 512 * 1024 * 1024,
  /** Contents of an archive. */
  maxImportFiles: 50_000,
  maxUnpackedImportBytes: 2 * 1024 * 1024 * 1024,
  /** Ratio of unpacked to packed size. It is not checked below `importRatioFreeBytes`, because zeros compress a thousandfold. */
  maxImportRatio: 100,
  importRatioFreeBytes: 64 * 1024 * 1024,
  maxImportDepth: 32,
  /** Wall-clock time for an archive to arrive. */
  maxImportArrivalSeconds: 600,
  /** Wall-clock time to read an archive. */
  maxImportSeconds: 120,
  /** Concurrent imports per process. */
  maxConcurrentImports: 2,
  /**
   * Archives that arrive, wait or are read per process, in total and per user, so that a slow sender does not block others. Each
   * is on disk, and the chart sizes the api's `tmp` for this.
   */
  maxPendingImports: 4,
  maxPendingImportsPerUser: 2,
  avatarWidthPx: 300,
  logoWidthPx: 640,
  faviconWidthPx: 256,
  sessionDays: 7,
  /** Concurrent sessions per user. A further login ends the session that would expire first. */
  sessionsPerUser: 100,
  maxTokenNameLength: 128,
  /** Number of API tokens, including revoked ones. */
  maxTokens: 500,
  mailTokenHours: 3,
  /** Length of a mail server's reply that an admin sees. */
  maxMailReasonLength: 300,
  searchHits: 30,
  /** Newest lines of the log that can be ordered by something other than time. */
  maxSortedLogLines: 10_000,
  /** Lines of the log that are retained, checked every hour. The oldest lines of the largest sources are deleted first. */
  maxRetainedLogLines: 1_000_000,
  recentGames: 10,
  /** Newest public games whose links have a preview of the game. */
  previewedGames: 1_000,
  /** Number of listed posts, and hex digits of a post's id. */
  latestPosts: 20,
  postIdLength: 8,
  maxPostTitleLength: 50,
  /** Number of teams with a timeline, overall and per division. */
  timelineTeams: 10,
  bloodsPerChallenge: 3,
  /** Rows in the overview of a game. */
  deskBloods: 8,
  deskFailures: 20,
  /** Games per public page. */
  profileGames: 50,
  /** Members on a team's public page. */
  profileMembers: 100,
  /** Teams on a player's public page. */
  profileTeams: 50,
  deskChallenges: 300,
  deskTeams: 6,
  deskLeaders: 3,
  /** Newest cheats per team that submitted flags of others. */
  cheatsPerTeam: 100,
  /** Maximum count of a filtered list. Larger ones are reported as a lower bound. */
  maxCountedEntries: 10_000,
  /** Number of search words that are matched separately. */
  maxSearchWords: 8,
  /** Wrong flags in an hour, without a correct one, after which a team counts as stuck. */
  minWrongFlagsOfStuckTeam: 3,
  instanceCooldownSeconds: 10,
  testInstanceMinutes: 120,
  /** Concurrent connections through all gateways together. */
  proxyConnectionsPerInstance: 64,
  maxProxyFrameBytes: 4096,
  proxyConnectionMinutes: 30,
  /** Challenges that `npm start` runs as child processes, of about 50 MB each. */
  maxLocalProcesses: 32,
  /** Lifetime of instances in minutes, until an admin changes it. */
  defaultLifetimeMinutes: 120,
  extensionDurationMinutes: 120,
  renewalWindowMinutes: 10,
  /** Minimum leet entropy of a template without [GUID] and [TEAM_HASH]. */
  minFlagEntropyBits: 32,
} as const

/** Instance settings of organizers, per challenge and for all instances. */
export const InstanceLimits = {
  minCpuTenths: 1,
  maxCpuTenths: 1_024,
  minMemoryMb: 32,
  maxMemoryMb: 1_048_576,
  minStorageMb: 128,
  maxStorageMb: 1_048_576,
  minPort: 1,
  maxPort: 65_535,
  /** Lifetime and its extension. */
  minLifetimeMinutes: 1,
  maxLifetimeMinutes: 7_200,
  minRenewalWindowMinutes: 1,
  maxRenewalWindowMinutes: 360,
} as const

/** Maximum of integer columns. */
const maxInt32 = 2_147_483_647

/** Limits of a challenge's container. The definition of ChallengeInstance has the same. */
export const ContainerLimits = {
  /** Number of arguments, also of a command. */
  minArguments: 1,
  maxArguments: 64,
  /** Number of plain and of secret variables. */
  maxVariables: 128,
  maxFlagVariables: 8,
  maxPathLength: 256,
  maxWritablePaths: 8,
  maxFurtherPorts: 15,
  /** Range in which Kubernetes and Linux agree. */
  minUserId: 0,
  maxUserId: maxInt32,
  maxFileModeLength: 4,
  minWritableMb: 1,
  minStartTimeoutSeconds: 1,
  maxStartTimeoutSeconds: 600,
  /** Text in the readiness line of a container. */
  maxReadyLineLength: 256,
  /** Name of an object in a cluster. */
  maxObjectNameLength: 253,
} as const

/** Default values of games and challenges. */
export const Defaults = {
  /** 50, 30 and 10 per mille (5 %, 3 %, 1 %). See docs/contract/scoreboard-and-events.md#ranking. */
  bloodBonus: 52_459_530,
  /** Concurrent instances per team. */
  instancesPerTeam: 3,
  cpuTenths: 1,
  memoryMb: 64,
  storageMb: 256,
  exposedPort: 80,
  originalScore: 1_000,
  minScoreRate: 0.25,
  difficulty: 5,
} as const

/** Number of rows in an answer: maximum, default, and default of lists with long rows. */
export const PageLimits = { max: 1_000, default: 100, short: 50, pairs: 20 } as const

/** Limits of the tables in another platform's export. Its archive has the limits of all archives. */
export const ImportLimits = {
  /** Size of all tables, size of a row, and number of rows. */
  tableBytes: 512 * 1024 * 1024,
  rowBytes: 4 * 1024 * 1024,
  rows: 400_000,
  people: 50_000,
  challenges: 1_000,
  /** Challenges times teams, because each team gets each challenge. */
  assignments: 5_000_000,
  /** Distinct findings of a report, rows listed per finding, and teams with different points. */
  findings: 1_000,
  findingRows: 20,
  /** Reported fields per challenge of an archive. */
  findingsOfChallenge: 200,
  differences: 500,
} as const

/** Bounds that define the kind of a text or number. */
export const notEmpty = { minLength: 1 } as const

/** Bound of an object that needs a member. */
export const anyMember = { minProperties: 1 } as const
/** Bounds of a list with exactly one item. */
export const exactlyOne = { minItems: 1, maxItems: 1 } as const
export const notNegative = { minimum: 0 } as const
export const positive = { exclusiveMinimum: 0 } as const
export const share = { minimum: 0, maximum: 1 } as const

/**
 * Maxima of inputs for which the product sets no limit. They are far above honest use and only ensure that all input is bounded.
 * Lengths are in code points, as in JSON Schema. Answers are not validated by them, because data from before a bound remains
 * readable.
 */
export const InputLimits = {
  maxInt32,
  /** Ids of rows. */
  minId: 1,
  /** Byte counts and other counts that JSON numbers represent exactly. */
  maxCount: Number.MAX_SAFE_INTEGER,
  /** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
  maxEmailLength: 254,
  maxPasswordLength: 1_024,
  /** Password hash of another platform. */
  maxForeignHashLength: 512,
  /** Ten years. */
  maxTokenDays: 3_650,
  /** Answers of captcha providers. reCAPTCHA sends about 2,000 characters. */
  maxCaptchaAnswerLength: 8_192,
  /** Base64 of a token or an address in a mailed link. */
  maxLinkValueLength: 2_048,
  maxPhoneLength: 64,
  /** ISO 8601 with a fraction and an offset. */
  maxInstantLength: 64,
  uuidLength: 36,
  /** Version of a scoreboard: two numbers and a digest. */
  maxBoardVersionLength: 64,
  sha256HexLength: 64,
  /** Client address: `ffff:…:255.255.255.255` with an interface name. */
  maxAddressLength: 64,
  /** Team tokens, public keys, and invitation codes of teams. */
  maxTokenLength: 256,
  /** Search text of a list. */
  maxSearchLength: 256,
  /** Word from an open list, such as the level of log lines. */
  maxWordLength: 64,
  /** Titles of games and challenges, and the name of the platform. */
  maxTitleLength: 256,
  maxDivisionNameLength: 128,
  maxDivisions: 256,
  /** Challenges with their own rights in a division. */
  maxDivisionChallenges: 1_000,
  /** Typed code. One that exceeds a game's limit is answered as a wrong code. */
  maxTypedCodeLength: 256,
  /** Lines and short texts: slogans, descriptions, hints. */
  maxShortTextLength: 8_192,
  /** Markdown of a page. */
  maxLongTextLength: 262_144,
  maxHints: 64,
  /** Fields of a file whose digests are stored. */
  maxRememberedFields: 256,
  /** Hours from the end of a game to its writeup deadline in a form. */
  maxWriteupHours: 100_000,
  maxTagLength: 64,
  maxTags: 64,
  maxUrlLength: 4_096,
  maxFileNameLength: 512,
  /** Names of uploads are cut to this length. */
  maxUploadNameLength: 200,
  maxFilesPerUpload: 1_000,
  /** Ignored fields of an upload besides its files. */
  maxUploadFields: 20,
  maxUploadFieldBytes: 1_024,
  maxImageNameLength: 512,
  maxColorLength: 32,
  maxEmailDomainsLength: 16_384,
  /** Rows of one call. */
  maxBulkUsers: 5_000,
  maxFlagsPerCall: 5_000,
  maxReportsPerCall: 10_000,
  /** Recorder's report on its segments. It retains at most a few hundred. */
  maxRecorderReportBytes: 4 * 1024 * 1024,
  /** With the largest bonus, a thousand challenges of this value still fit into a total. */
  maxScore: 1_000_000,
  maxDifficulty: 1_000_000_000,
  /** Positions and ranges of challenges in an archive. */
  maxImportChoiceLength: 4_096,
  /** Three values of ten bits. */
  maxBloodBonus: 2 ** 30 - 1,
} as const

/** Bounds of a JSON body. */
export type BodyBounds = Readonly<{
  maxBytes: number
  /** Members of objects, elements of arrays and the root, counted together. */
  maxValues: number
}>

/** Nesting depth of a JSON body. */
export const maxJsonDepth = 32

/** Bounds of JSON bodies. A call may use another than the default. */
export const BodyLimits = {
  default: { maxBytes: 64 * 1024, maxValues: 4_000 },
  /** Long texts with their related data, such as the flags of a challenge. */
  document: { maxBytes: 2 * 1024 * 1024, maxValues: 50_000 },
  /** Bulk calls with many rows. */
  bulk: { maxBytes: 4 * 1024 * 1024, maxValues: 100_000 },
} as const satisfies Record<string, BodyBounds>

/** Rest of an unread body that is accepted after the answer. */
export const unreadBodyLimits = { maxBytes: 16 * 1024 * 1024, maxMs: 5_000 } as const

/**
 * Size of the request headers that we interpret, in bytes. A longer one counts as absent. The HTTP server limits all headers
 * together (16 KiB).
 */
export const HeaderLimits = {
  maxAcceptLanguageBytes: 1_024,
  maxAcceptEncodingBytes: 1_024,
  maxIfNoneMatchBytes: 4_096,
  maxRangeBytes: 256,
  maxSessionCookieBytes: 256,
  maxAuthorizationBytes: 512,
} as const

/** Rate limits, per user or else per address. See docs/contract/errors-and-limits.md#rate-limits. */
export const RateLimits = {
  global: { perMinute: 150, segments: 6, queued: 60 },
  register: { count: 20, windowSeconds: 150 },
  powChallenge: { capacity: 40, refill: 5, refillSeconds: 30 },
  submit: { capacity: 100, refill: 50, refillSeconds: 5 },
  container: { capacity: 120, refill: 30, refillSeconds: 10 },
  concurrency: { running: 1, queued: 20 },
  /** Emails with one kind of link to one mailbox, besides the limits of the requester. */
  recipient: { count: 3, windowSeconds: 3600 },
} as const

/**
 * Default limits of gateway clients. Hub sockets count per gateway process, by user if signed in, else by address: a campus
 * behind one address has hundreds of players. Attempts on proxied connections count over all gateways.
 */
export const GatewayLimits = {
  hubSocketsPerAddress: 300,
  hubSocketsPerUser: 50,
  hubSockets: 15_000,
  /** Hub sockets of one address with an unfinished handshake. */
  unfinishedHubSocketsPerAddress: 200,
  /** Negotiations and connection attempts: 1,500 clients behind one address may reconnect twice a minute. */
  hubAttemptsPerAddressMinute: 3_000,
  proxyConnections: 10_000,
  proxyAttemptsPerInstanceMinute: 600,
  proxyAttemptsPerAddressMinute: 3_000,
  /**
   * Connections by host name, TLS and port: per instance through all gateways, and per address through each gateway. A client
   * behind a trusted proxy counts by its concurrent requests.
   */
  instanceConnections: 256,
  instanceConnectionsPerAddress: 64,
} as const

/** Further limits per gateway process. */
export const GatewayBounds = {
  /** Size of a hub message, and of a frame with several messages. */
  maxHubMessageBytes: 32 * 1024,
  maxHubFrameBytes: 128 * 1024,
  /** Hub sockets with an unfinished handshake. */
  unfinishedHubSockets: 2_000,
  /** Connections with an unfinished TLS handshake. */
  unfinishedHandshakes: 2_000,
  unfinishedHandshakesPerAddress: 200,
  /** Concurrent requests of an address to an instance, per connection that it may have there, because HTTP/2 has many on one. */
  requestsPerConnection: 4,
  /** Delay for clients that exceed a limit of open sockets. It is a guess, because the time when one closes is unknown. */
  retryAfterSeconds: 30,
} as const

/** Default retention of the log of proxied connections. */
export const ConnectionLogLimits = { days: 90, rowsPerInstance: 1_000 } as const

/** Limits of connections on all listeners of the platform: api, gateway, web, and `npm start` (ADR 12). */
export const ListenerLimits = {
  /** Time from the start of a connection, or of its next request, to the end of the headers. */
  headersMs: 20_000,
  /** Time for a body. An upload gets this in addition to the time of its bytes at the minimum rate. */
  bodyMs: 60_000,
  uploadBytesPerSecond: 4 * 1024,
  /**
   * Maximum idle time of a connection. It exceeds the idle time of proxies in front, such as 60 s of most Ingress controllers.
   */
  idleMs: 75_000,
  /**
   * Maximum time without progress during a call: no byte from the client, none read by it, and none from us. Upgraded connections
   * are exempt.
   */
  stalledMs: 300_000,
  /** Interval of the checks. */
  sweepMs: 1_000,
  maxHeadersBytes: 16 * 1024,
  maxConnections: 16_384,
  requestsPerConnection: 100_000,
} as const

/**
 * Maximum idle time of a connection between our processes. It is less than the 3 s in which a stopping process still answers, and
 * far less than `ListenerLimits.idleMs`, so that no call meets a closing connection (ADR 12).
 */
export const hopIdleMs = 2_000

/** Maximum time to connect to another process by all its addresses, once they are known, in ms. */
export const hopConnectMs = 5_000

/** Time for one address to accept a connection before the next is tried, in ms. */
export const hopAttemptMs = 1_000
