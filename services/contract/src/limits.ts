/** Limits of the product, with units in their names. Schemas import them. */
export const Limits = {
  minPasswordLength: 6,
  /** Length of a generated password. */
  randomPasswordLength: 16,
  minUserNameLength: 3,
  maxUserNameLength: 15,
  maxUserBioLength: 128,
  maxRealNameLength: 128,
  maxStudentNumberLength: 64,
  /** Maximum length of the invitation code of a game. */
  maxGameCodeLength: 32,
  minDivisionCodeLength: 6,
  maxDivisionCodeLength: 32,
  maxFlagLength: 127,
  /** Maximum length of a regular expression for flags. */
  maxFlagPatternLength: 256,
  /** Maximum number of instructions of a compiled pattern. Each runs at most once per character of an answer. */
  maxFlagPatternInstructions: 1_000,
  /**
   * Maximum number of flags per challenge that are patterns or case-insensitive. Each wrong answer is checked against all of
   * them.
   */
  maxFlagRules: 20,
  /** Number of rows in the first part of a scoreboard. */
  leadingTeams: 50,
  /** Default number of teams in a frame on another website. */
  embeddedTeams: 10,
  /** Maximum length of the name on a badge for other websites. */
  maxBadgeNameLength: 40,
  /** Maximum number of latest solvers that a challenge shows. */
  latestSolvers: 6,
  /** Maximum number of newest submissions to a challenge that a team can list. */
  maxListedAttempts: 50,
  /** Maximum number of attempts that an organizer can allow a team at a challenge. */
  maxSubmissionLimit: 10_000,
  /** Maximum number of challenges of a game that one call changes. */
  maxChangedChallenges: 1_000,
  /** Maximum number of prerequisites of a challenge. */
  maxPrerequisites: 100,
  /** Maximum cool-down of a team after a wrong answer. */
  maxCooldownSeconds: 86_400,
  /** Maximum number of points that one award adds or deducts. */
  maxAwardPoints: 1_000_000,
  /** Maximum length of the reason for an award. */
  maxReasonLength: 200,
  /** Maximum number of questions of the registration for a game, including archived ones. */
  maxQuestions: 50,
  maxQuestionOptions: 50,
  maxQuestionHelpLength: 1_000,
  /** Maximum length of an answer of one line, and of an option. */
  maxShortAnswerLength: 200,
  maxLongAnswerLength: 4_000,
  maxAnswerFileBytes: 10 * 1024 * 1024,
  /** Maximum number of a user's uploaded files that no answer uses yet, and hours after which such files are deleted. */
  maxPendingAnswerFiles: 10,
  pendingAnswerFileHours: 24,
  /** Maximum number of open tickets of a team in a game, and of all its tickets. */
  maxOpenTickets: 10,
  maxTickets: 200,
  /** Maximum number of messages of a team in one ticket, and in all its tickets within a minute. */
  maxTicketMessages: 300,
  ticketMessagesPerMinute: 6,
  maxTicketSubjectLength: 100,
  maxTicketTextLength: 4_000,
  maxCannedAnswers: 200,
  /** Maximum number of answers of a user in the survey after a game: one for each challenge and one for the game. */
  maxSurveyAnswers: 1_001,
  /** Best rating in a survey. The worst one is 1. */
  maxSurveyRating: 5,
  maxSurveyTextLength: 1_000,
  /** Maximum number of texts for each challenge that the results show. The sheet contains all texts. */
  surveyTexts: 200,
  /** Maximum number of instances, connections and submissions of the team that a ticket shows. */
  ticketFacts: 10,
  maxChallengeTags: 10,
  maxChallengeTagLength: 30,
  maxFlagTemplateLength: 120,
  /** Length of the team hash in a flag, in hex digits. */
  teamHashLength: 12,
  maxTeamNameLength: 20,
  /** Maximum length of a team name in a bulk call that creates users with their teams, as in the reference. */
  maxBulkTeamNameLength: 15,
  maxTeamBioLength: 72,
  /**
   * Maximum length in code points of the keys that make names unique. Normalization can turn one character of a name into
   * eighteen.
   */
  maxNameKeyLength: 256,
  /** Maximum number of teams of a captain after another team is transferred to this captain. */
  maxTeamsPerCaptain: 3,
  maxImageBytes: 3 * 1024 * 1024,
  /** Maximum working memory to decode a picture, according to its header. It allows 12 megapixels, or 9 in AVIF. */
  maxPictureMemoryBytes: 180 * 1024 * 1024,
  /**
   * Maximum total memory of the process that decodes pictures. The process is killed if it exceeds this limit, even if the
   * picture's header promised less.
   */
  maxPictureProcessBytes: 256 * 1024 * 1024,
  maxPicturePixels: 50_000_000,
  /** Maximum number of pixels of all frames of an animation together, because browsers decode all of them. */
  maxPictureFramePixels: 100_000_000,
  maxStoredPictureBytes: 8 * 1024 * 1024,
  /** Maximum CPU time to decode and store one picture. Reading its header may take a twentieth of this time. */
  maxPictureCpuSeconds: 10,
  /** Maximum wall-clock time to decode a picture, even if the machine is busy. */
  maxPictureSeconds: 60,
  /** Maximum number of waiting pictures, and maximum time that they wait. Only one picture is decoded at a time. */
  maxWaitingPictures: 16,
  maxPictureWaitSeconds: 30,
  /** Maximum number of concurrent uploads of a user in each process. */
  maxConcurrentUploads: 8,
  /**
   * Maximum number of bytes of concurrent request bodies in the memory of a process, in total and per user. The limit per user
   * has room for two pictures, so that a few users cannot block others.
   */
  maxBufferedUploadBytes: 48 * 1024 * 1024,
  maxBufferedUploadBytesPerUser: 6 * 1024 * 1024,
  /** Maximum number of bytes of answers that a process holds for slow clients. Small answers are not counted. */
  maxPendingAnswersBytes: 64 * 1024 * 1024,
  minCountedAnswerBytes: 64 * 1024,
  /** Minimum rate of an upload. Slower uploads are cancelled. */
  minUploadBytesPerSecond: 4096,
  uploadPaceSeconds: 20,
  /** Maximum number of bytes of a refused body that are still read, so that the sender receives the answer. */
  maxIgnoredUploadBytes: 64 * 1024 * 1024,
  maxWriteupBytes: 20 * 1024 * 1024,
  /** Maximum size of an archive with challenges or of an export from another platform. */
  maxImportBytes: 512 * 1024 * 1024,
  /** Maximum number of files and folders in an archive. */
  maxImportFiles: 50_000,
  maxUnpackedImportBytes: 2 * 1024 * 1024 * 1024,
  /**
   * Maximum ratio of unpacked to packed size. It is not checked for sizes below `importRatioFreeBytes`, because a file of zeros
   * has a ratio of 1,000.
   */
  maxImportRatio: 100,
  importRatioFreeBytes: 64 * 1024 * 1024,
  maxImportDepth: 32,
  /** Maximum wall-clock time to receive an archive. */
  maxImportArrivalSeconds: 600,
  /** Maximum wall-clock time to read an archive. */
  maxImportSeconds: 120,
  /** Maximum number of concurrent imports per process. */
  maxConcurrentImports: 2,
  /**
   * Maximum number of archives in a process that are being received, are waiting or are being read, in total and per user. The
   * limit per user keeps a slow sender from blocking other users. Each archive is on disk, and the chart sizes the api's `tmp`
   * accordingly.
   */
  maxPendingImports: 4,
  maxPendingImportsPerUser: 2,
  avatarWidthPx: 300,
  logoWidthPx: 640,
  faviconWidthPx: 256,
  sessionDays: 7,
  /** Maximum number of concurrent sessions per user. At this limit, another login ends the session that would expire first. */
  sessionsPerUser: 100,
  /** Maximum length of the stored `User-Agent` of a session. The rest is dropped. */
  maxUserAgentLength: 512,
  maxTokenNameLength: 128,
  /** Maximum number of identity providers of the platform. */
  maxSignInProviders: 20,
  maxProviderNameLength: 40,
  maxProviderKeyLength: 30,
  /** Maximum time of a sign-in at an identity provider. */
  signInMinutes: 10,
  /** Maximum time between the password and the second factor's code of a log-in. */
  pendingLoginMinutes: 5,
  /** Maximum number of attempts with codes before an account has to wait for `codeWaitMinutes`. */
  maxCodeAttempts: 10,
  codeWaitMinutes: 15,
  recoveryCodes: 10,
  passkeysPerUser: 10,
  /** Maximum number of API tokens, including revoked ones. */
  maxTokens: 500,
  mailTokenHours: 3,
  /** Maximum length of the part of a mail server's reply that admins see. */
  maxMailReasonLength: 300,
  maxGameMailSubjectLength: 150,
  maxGameMailTextLength: 8_000,
  /** Rate at which mails to the participants of games are sent. */
  gameMailsPerSecond: 5,
  maxWebhooks: 50,
  maxWebhookNameLength: 60,
  maxWebhookKinds: 20,
  maxWebhookAddressLength: 2_000,
  maxWebhookTemplateLength: 4_000,
  /** Maximum length of a notice or reason in a message, and of that part of a service's answer that admins see. */
  maxWebhookTextLength: 1_500,
  /** Time during which the previous signing key of a webhook still signs. */
  previousKeyHours: 24,
  /**
   * Hours of uninterrupted failures, and number of refused events in a row, after which a webhook is switched off.
   */
  maxWebhookFailureHours: 72,
  maxRefusedEvents: 20,
  /** Days for which sent events of webhooks are stored. */
  webhookLogDays: 30,
  searchHits: 30,
  /** Maximum number of newest log lines that can be sorted by a column other than time. */
  maxSortedLogLines: 10_000,
  /**
   * Maximum number of log lines to retain, checked every hour. Beyond it, the oldest lines of the source with the most lines are
   * deleted first.
   */
  maxRetainedLogLines: 1_000_000,
  recentGames: 10,
  /** Maximum number of newest public games whose links show a preview of the game. */
  previewedGames: 1_000,
  /** Number of listed posts, and length of a post's id in hex digits. */
  latestPosts: 20,
  postIdLength: 8,
  maxPostTitleLength: 50,
  maxCertificateTitleLength: 100,
  maxCertificateTextLength: 1_500,
  maxCertificateSignerLength: 120,
  /** Maximum number of members that the certificate of a whole team names. */
  maxCertificateMembers: 30,
  /** Maximum length of a side of a certificate's background, and maximum width of its logo and signature. */
  certificateBackgroundPx: 2_000,
  certificatePicturePx: 800,
  /**
   * Maximum number of waiting certificates per process, and maximum time that they wait. Only one certificate is drawn at a time.
   */
  maxWaitingCertificates: 100,
  maxCertificateWaitSeconds: 30,
  /** Number of teams with a timeline, overall and per division. */
  timelineTeams: 10,
  bloodsPerChallenge: 3,
  /** Maximum number of bloods, and of images with failing instances, in the overview of a game. */
  deskBloods: 8,
  deskFailures: 20,
  /** Maximum number of games on a public page. */
  profileGames: 50,
  /** Maximum number of members on the public page of a team. */
  profileMembers: 100,
  /** Maximum number of teams on the public page of a player. */
  profileTeams: 50,
  deskChallenges: 300,
  deskTeams: 6,
  deskLeaders: 3,
  /** Maximum number of newest cheats that are listed for a team that submitted flags of others. */
  cheatsPerTeam: 100,
  /** Maximum exact count of a filtered list. If there are more entries, the count is a lower bound. */
  maxCountedEntries: 10_000,
  /** Maximum number of search words that are matched separately. */
  maxSearchWords: 8,
  /** Minimum number of wrong flags in an hour after which a team counts as stuck. A correct flag resets the count. */
  minWrongFlagsOfStuckTeam: 3,
  instanceCooldownSeconds: 10,
  testInstanceMinutes: 120,
  /** Maximum number of concurrent connections to an instance, over all gateways. */
  proxyConnectionsPerInstance: 64,
  maxProxyFrameBytes: 4096,
  proxyConnectionMinutes: 30,
  /** Maximum number of container logs that an api process sends at the same time, and maximum time for which one log is open. */
  maxOpenLogs: 32,
  openLogMinutes: 60,
  /** Maximum number of last lines of a log. */
  maxLogTailLines: 1_000,
  /** Maximum number of terminals that each api process relays at the same time: in total, and of one admin. */
  maxOpenTerminals: 8,
  maxOpenTerminalsPerAdmin: 4,
  openTerminalMinutes: 60,
  /** Time without keys after which a terminal ends. */
  idleTerminalMinutes: 15,
  maxTerminalMessageBytes: 64 * 1024,
  /** Maximum input of a terminal in 10 s. */
  maxTerminalInputBytes: 1024 * 1024,
  /** Maximum number of the newest events of a container, and the maximum lengths of their texts. */
  maxContainerEvents: 20,
  maxEventReasonLength: 128,
  maxEventMessageLength: 1_024,
  /** Maximum number of challenges that `npm start` runs as child processes. Each needs about 50 MB. */
  maxLocalProcesses: 32,
  /** Default lifetime of instances in minutes, which admins can change. */
  defaultLifetimeMinutes: 120,
  extensionDurationMinutes: 120,
  renewalWindowMinutes: 10,
  /** Minimum leet entropy of a template that has neither [GUID] nor [TEAM_HASH]. */
  minFlagEntropyBits: 32,
} as const

/** Limits of the settings of instances, for a challenge and for the whole platform. */
export const InstanceLimits = {
  minCpuTenths: 1,
  maxCpuTenths: 1_024,
  minMemoryMb: 32,
  maxMemoryMb: 1_048_576,
  minStorageMb: 128,
  maxStorageMb: 1_048_576,
  minPort: 1,
  maxPort: 65_535,
  /** Bounds of the lifetime of an instance, and of the time that one extension adds. */
  minLifetimeMinutes: 1,
  maxLifetimeMinutes: 7_200,
  minRenewalWindowMinutes: 1,
  maxRenewalWindowMinutes: 360,
} as const

/** Maximum value of integer columns. */
const maxInt32 = 2_147_483_647

/** Limits of a challenge's container. The CRD of ChallengeInstance has the same limits. */
export const ContainerLimits = {
  /** Maximum number of containers of a challenge. */
  maxContainers: 8,
  /** Maximum length of the name of a container or network, and of an alias. */
  maxContainerNameLength: 24,
  /** Maximum length of the label of a published port. */
  maxPortLabelLength: 40,
  /** Maximum number of networks of a challenge. */
  maxNetworks: 8,
  /** Maximum number of aliases of a container in one network. */
  maxAliases: 8,
  /** Maximum length of all plain variables of the containers of a challenge. */
  maxVariablesLength: 256 * 1024,
  /** Bounds of the number of arguments, and of the number of words of a command. */
  minArguments: 1,
  maxArguments: 64,
  /** Maximum number of plain variables, and of secret variables. */
  maxVariables: 128,
  maxFlagVariables: 8,
  maxPathLength: 256,
  maxWritablePaths: 8,
  maxFurtherPorts: 15,
  /** Range of user ids that both Kubernetes and Linux accept. */
  minUserId: 0,
  maxUserId: maxInt32,
  maxFileModeLength: 4,
  minWritableMb: 1,
  minStartTimeoutSeconds: 1,
  maxStartTimeoutSeconds: 600,
  /** Maximum length of the text in the readiness line of a container. */
  maxReadyLineLength: 256,
  /** Maximum length of the name of an object in a cluster. */
  maxObjectNameLength: 253,
} as const

/** Default values of games and challenges. */
export const Defaults = {
  /** 50, 30 and 10 per mille (5 %, 3 %, 1 %). See docs/contract/scoreboard-and-events.md#ranking. */
  bloodBonus: 52_459_530,
  /** Maximum number of concurrent instances per team. */
  instancesPerTeam: 3,
  cpuTenths: 1,
  memoryMb: 64,
  storageMb: 256,
  exposedPort: 80,
  originalScore: 1_000,
  minScoreRate: 0.25,
  difficulty: 5,
} as const

/** Number of rows in an answer: maximum, default, and defaults for lists with long rows. */
export const PageLimits = { max: 1_000, default: 100, short: 50, pairs: 20 } as const

/** Limits of the tables in an export from another platform. Its archive also has the limits of all archives. */
export const ImportLimits = {
  /** Maximum size of all tables together, maximum size of a row, and maximum number of rows. */
  tableBytes: 512 * 1024 * 1024,
  rowBytes: 4 * 1024 * 1024,
  rows: 400_000,
  people: 50_000,
  challenges: 1_000,
  /** Maximum product of the numbers of challenges and teams, because each team is assigned each challenge. */
  assignments: 5_000_000,
  /** Maximum number of distinct findings in a report, of listed rows per finding, and of listed teams with different points. */
  findings: 1_000,
  findingRows: 20,
  /** Maximum number of reported fields per challenge in an archive. */
  findingsOfChallenge: 200,
  differences: 500,
} as const

/** Bound for texts that must have at least one character. */
export const notEmpty = { minLength: 1 } as const

/** Bound for objects that must have at least one member. */
export const anyMember = { minProperties: 1 } as const
/** Bound for lists that must have at least one item. */
export const notEmptyList = { minItems: 1 } as const

export const notNegative = { minimum: 0 } as const
export const positive = { exclusiveMinimum: 0 } as const
export const share = { minimum: 0, maximum: 1 } as const

/**
 * Upper bounds for inputs that have no other limit, so that all input is bounded. They are far above honest use. Lengths are in
 * code points, as in JSON Schema. Answers are not checked against them, so older data remains readable.
 */
export const InputLimits = {
  maxInt32,
  /** Minimum id of a row. */
  minId: 1,
  /** Maximum of byte counts and other counts. JSON numbers up to this one are exact. */
  maxCount: Number.MAX_SAFE_INTEGER,
  /** Maximum length of an email address: RFC 5321, section 4.5.3.1.3, minus the angle brackets. */
  maxEmailLength: 254,
  maxPasswordLength: 1_024,
  /** Maximum length of a password hash from another platform. */
  maxForeignHashLength: 512,
  /** Maximum lifetime of an API token: ten years. */
  maxTokenDays: 3_650,
  /** Maximum length of names of claims, client ids and client secrets. */
  maxClaimLength: 256,
  maxClientSecretLength: 1_024,
  /** Maximum length of the id of a team at an identity provider. */
  maxTeamKeyLength: 256,
  /** Maximum length of a code of the second factor, with blanks and hyphens. */
  maxFactorCodeLength: 64,
  maxSealedSetupLength: 1_024,
  maxPasskeyNameLength: 64,
  /** Maximum length of the answer of an authenticator. Post-quantum keys and signatures need about 10,000 characters. */
  maxPasskeyAnswerLength: 32_768,
  /** Maximum length of the query string with which an identity provider sends a user back. */
  maxSignInAnswerLength: 8_192,
  /** Maximum length of the answer of a captcha provider. Google reCAPTCHA sends about 2,000 characters. */
  maxCaptchaAnswerLength: 8_192,
  /** Maximum length of the Base64 of a token or address in a mailed link. */
  maxLinkValueLength: 2_048,
  maxPhoneLength: 64,
  /** Maximum length of an ISO 8601 instant with a fraction and an offset. */
  maxInstantLength: 64,
  /** Last instant of the year 9999, in ms since 1970. */
  maxInstantMs: 253_402_300_799_999,
  uuidLength: 36,
  /** Maximum length of a scoreboard version: two numbers and a digest. */
  maxBoardVersionLength: 64,
  sha256HexLength: 64,
  /** Maximum length of a client address: `ffff:…:255.255.255.255` with an interface name. */
  maxAddressLength: 64,
  /** Maximum length of team tokens, public keys, and invitation codes of teams. */
  maxTokenLength: 256,
  /** Maximum length of the search text for a list. */
  maxSearchLength: 256,
  /** Maximum length of a word from an open list, such as the level of log lines. */
  maxWordLength: 64,
  /** Maximum length of titles of games and challenges, and of the platform's name. */
  maxTitleLength: 256,
  maxDivisionNameLength: 128,
  maxDivisions: 256,
  /** Maximum number of challenges for which a division has separate rights. */
  maxDivisionChallenges: 1_000,
  /** Maximum length of an invitation code that a user types. A code above the game's limit is answered like a wrong code. */
  maxTypedCodeLength: 256,
  /** Maximum length of lines and short texts, such as slogans, descriptions and hints. */
  maxShortTextLength: 8_192,
  /** Maximum length of the Markdown of a page. */
  maxLongTextLength: 262_144,
  maxHints: 64,
  /** Maximum number of fields of a challenge file whose digests are stored. */
  maxRememberedFields: 256,
  /** Maximum number of hours from the end of a game to its writeup deadline, as entered in the form. */
  maxWriteupHours: 100_000,
  maxTagLength: 64,
  maxTags: 64,
  maxUrlLength: 4_096,
  maxFileNameLength: 512,
  /** Maximum length of upload names. Longer names are cut. */
  maxUploadNameLength: 200,
  maxFilesPerUpload: 1_000,
  /** Maximum number of additional fields in an upload, which are ignored. */
  maxUploadFields: 20,
  maxUploadFieldBytes: 1_024,
  maxImageNameLength: 512,
  maxColorLength: 32,
  maxEmailDomainsLength: 16_384,
  /** Maximum number of rows in one call. */
  maxBulkUsers: 5_000,
  maxFlagsPerCall: 5_000,
  maxReportsPerCall: 10_000,
  /** Maximum size of a recorder's report on its segments. A recorder retains a few hundred segments at most. */
  maxRecorderReportBytes: 4 * 1024 * 1024,
  /**
   * Maximum value of a challenge. With the largest bonus, the total of a thousand such challenges still fits into an integer
   * column.
   */
  maxScore: 1_000_000,
  maxDifficulty: 1_000_000_000,
  /** Maximum length of a list of challenge positions and ranges in an archive. */
  maxImportChoiceLength: 4_096,
  /** Maximum length of a list of writeups. */
  maxWriteupChoiceLength: 8_000,
  /** Maximum encoded bonus, which has three values of ten bits each. */
  maxBloodBonus: 2 ** 30 - 1,
} as const

/** Maximum size of a JSON body. */
export type BodyBounds = Readonly<{
  maxBytes: number
  /** Maximum number of object members and array elements, plus one for the root. */
  maxValues: number
}>

/** Maximum nesting depth of a JSON body. */
export const maxJsonDepth = 32

/** Bounds of JSON bodies. Calls use the default unless they define another one. */
export const BodyLimits = {
  default: { maxBytes: 64 * 1024, maxValues: 4_000 },
  /** Long texts with related data, such as a challenge with its flags. */
  document: { maxBytes: 2 * 1024 * 1024, maxValues: 50_000 },
  /** Bulk calls with many rows. */
  bulk: { maxBytes: 4 * 1024 * 1024, maxValues: 100_000 },
} as const satisfies Record<string, BodyBounds>

/** Limits of the rest of an unread body. It is still received after the answer, so that the client can read the answer. */
export const unreadBodyLimits = { maxBytes: 16 * 1024 * 1024, maxMs: 5_000 } as const

/**
 * Size in bytes of each request header that we interpret. A longer header counts as absent. The HTTP server also limits all
 * headers together (16 KiB).
 */
export const HeaderLimits = {
  maxAcceptLanguageBytes: 1_024,
  maxAcceptEncodingBytes: 1_024,
  maxIfNoneMatchBytes: 4_096,
  maxRangeBytes: 256,
  maxSessionCookieBytes: 256,
  maxAuthorizationBytes: 512,
} as const

/** Rate limits, per user if there is one, and otherwise per address. See docs/contract/errors-and-limits.md#rate-limits. */
export const RateLimits = {
  global: { perMinute: 150, segments: 6, queued: 60 },
  register: { count: 20, windowSeconds: 150 },
  powChallenge: { capacity: 40, refill: 5, refillSeconds: 30 },
  submit: { capacity: 100, refill: 50, refillSeconds: 5 },
  container: { capacity: 120, refill: 30, refillSeconds: 10 },
  concurrency: { running: 1, queued: 20 },
  /** Maximum number of emails with one kind of link to one mailbox, in addition to the limits of the requester. */
  recipient: { count: 3, windowSeconds: 3600 },
  /** Maximum number of mails that all organizers of a game together send to its participants. */
  gameMail: { count: 4, windowSeconds: 3600 },
} as const

/**
 * Default limits of clients of the gateway. Hub sockets are counted in each gateway process, by user if signed in and otherwise
 * by address. A campus with one address may have hundreds of players. Attempts on proxied connections are counted over all
 * gateways.
 */
export const GatewayLimits = {
  hubSocketsPerAddress: 300,
  hubSocketsPerUser: 50,
  hubSockets: 15_000,
  /** Maximum number of hub sockets of an address with an unfinished handshake. */
  unfinishedHubSocketsPerAddress: 200,
  /** Maximum number of negotiations and connection attempts. 1,500 clients with the same address can reconnect twice a minute. */
  hubAttemptsPerAddressMinute: 3_000,
  proxyConnections: 10_000,
  proxyAttemptsPerInstanceMinute: 600,
  proxyAttemptsPerAddressMinute: 3_000,
  /**
   * Maximum number of connections by host name, TLS and port. The limit per instance applies to all gateways together, and the
   * limit per address to each gateway. For a client behind a trusted proxy, concurrent requests are counted instead of
   * connections.
   */
  instanceConnections: 256,
  instanceConnectionsPerAddress: 64,
} as const

/** Other limits, which apply to each gateway process. */
export const GatewayBounds = {
  /** Maximum size of a hub message, and of a frame that contains several messages. */
  maxHubMessageBytes: 32 * 1024,
  maxHubFrameBytes: 128 * 1024,
  /** Maximum number of hub sockets with an unfinished handshake. */
  unfinishedHubSockets: 2_000,
  /** Maximum number of connections with an unfinished TLS handshake. */
  unfinishedHandshakes: 2_000,
  unfinishedHandshakesPerAddress: 200,
  /**
   * Maximum number of concurrent requests from an address to an instance, for each connection that the address is permitted. One
   * connection with HTTP/2 can carry many requests.
   */
  requestsPerConnection: 4,
  /**
   * Delay after which a client that exceeded a limit of open sockets should retry. It is an estimate, because nothing predicts
   * when a socket closes.
   */
  retryAfterSeconds: 30,
} as const

/** Default retention of the connection log. */
export const ConnectionLogLimits = { days: 90, rowsPerInstance: 1_000 } as const

/** Limits of connections on all listeners: api, gateway, web, and `npm start` (ADR 12). */
export const ListenerLimits = {
  /** Maximum time until all headers have arrived, from the start of a connection or of its next request. */
  headersMs: 20_000,
  /** Maximum time until the body has arrived. An upload gets more time, according to its size and the minimum rate. */
  bodyMs: 60_000,
  uploadBytesPerSecond: 4 * 1024,
  /**
   * Maximum idle time of a connection. It is longer than the idle time of proxies in front, such as 60 s of most Ingress
   * controllers.
   */
  idleMs: 75_000,
  /**
   * Maximum time without progress during a call. Progress is a byte that either side sends, or that the client reads. Upgraded
   * connections are exempt.
   */
  stalledMs: 300_000,
  /** Interval between checks of these times. */
  sweepMs: 1_000,
  maxHeadersBytes: 16 * 1024,
  maxConnections: 16_384,
  requestsPerConnection: 100_000,
} as const

/**
 * Maximum idle time of a connection between our processes, in ms. A stopping process still answers for 3 s, and
 * `ListenerLimits.idleMs` is far longer. So no call uses a connection that its peer is closing (ADR 12).
 */
export const hopIdleMs = 2_000

/** Maximum time to connect to another process, in ms. It covers the attempts at all addresses, but not their lookup. */
export const hopConnectMs = 5_000

/** Time, in ms, to wait for one address before the next one is tried in parallel. */
export const hopAttemptMs = 1_000
