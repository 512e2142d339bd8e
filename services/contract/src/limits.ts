/** Limits of the platform, which schemas import. If a limit has a unit, its name contains the unit. */
export const Limits = {
  minPasswordLength: 6,
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
  /** Maximum length of a flag that is a pattern (regular expression). */
  maxFlagPatternLength: 256,
  /** Maximum number of instructions in a compiled flag pattern. Each instruction runs at most once per character of an answer. */
  maxFlagPatternInstructions: 1_000,
  /**
   * Maximum number of flags of a challenge that are patterns or case-insensitive. The number is small, because each wrong answer
   * is compared with all of these flags.
   */
  maxFlagRules: 20,
  /** Maximum number of rows in the part of a scoreboard that phones load first. */
  leadingTeams: 50,
  /** Default number of teams on a scoreboard that another website embeds. */
  embeddedTeams: 10,
  /** Maximum length of the name on a badge that other websites show. */
  maxBadgeNameLength: 40,
  /** Maximum number of latest solvers that the page of a challenge lists. */
  latestSolvers: 6,
  /** Maximum number of submissions that a team can list for a challenge, the newest first. */
  maxListedAttempts: 50,
  /** Maximum value for the number of attempts that a team has at a challenge. */
  maxSubmissionLimit: 10_000,
  /** Maximum number of challenges that one call can change. */
  maxChangedChallenges: 1_000,
  maxPrerequisites: 100,
  /** Maximum cool-down of a team after a wrong answer. */
  maxCooldownSeconds: 86_400,
  /** Maximum number of points that one award adds or deducts. */
  maxAwardPoints: 1_000_000,
  /** Maximum length of the reason for an award. */
  maxReasonLength: 200,
  /** Maximum number of questions that a registration for a game asks, including archived questions. */
  maxQuestions: 50,
  maxQuestionOptions: 50,
  maxQuestionHelpLength: 1_000,
  /** Maximum length of a one-line answer to a question. An option of a question has the same limit. */
  maxShortAnswerLength: 200,
  maxLongAnswerLength: 4_000,
  maxAnswerFileBytes: 10 * 1024 * 1024,
  /**
   * Maximum number of unused uploads of a user in a game, for each question that asks for a file. An upload is unused until a
   * saved answer contains it. A further upload deletes the oldest unused upload. Unused uploads are also deleted after
   * `pendingAnswerFileHours`.
   */
  pendingAnswerFilesPerQuestion: 3,
  pendingAnswerFileHours: 24,
  /**
   * Maximum total size of unused uploads of a game. Above this limit, unused uploads are deleted. The uploads of the users with
   * the most bytes are deleted first.
   */
  maxPendingAnswerBytes: 1024 * 1024 * 1024,
  /** Maximum number of open tickets of a team in a game, and maximum number of all its tickets in the game. */
  maxOpenTickets: 10,
  maxTickets: 200,
  /** Maximum number of messages that a team can write: in one ticket, and per minute in all tickets. */
  maxTicketMessages: 300,
  ticketMessagesPerMinute: 6,
  maxTicketSubjectLength: 100,
  maxTicketTextLength: 4_000,
  /**
   * Maximum total length of the messages that a team writes in one ticket. Each reader gets all messages of a ticket in one
   * response.
   */
  maxTicketThreadLength: 200_000,
  maxCannedAnswers: 200,
  /** Maximum number of answers of a user in the survey after a game: one for each of 1,000 challenges and one for the game. */
  maxSurveyAnswers: 1_001,
  /** Best rating in a survey. The worst rating is 1. */
  maxSurveyRating: 5,
  maxSurveyTextLength: 1_000,
  /** Maximum number of texts per challenge on the page with the results of a survey. The downloaded sheet contains all texts. */
  surveyTexts: 200,
  /** Maximum number of entries in each list of a ticket: instances, connections and submissions. */
  ticketFacts: 10,
  maxChallengeTags: 10,
  maxChallengeTagLength: 30,
  maxFlagTemplateLength: 120,
  /** Length of the team hash in a flag, in hex digits. */
  teamHashLength: 12,
  maxTeamNameLength: 20,
  /** Maximum length of a team name in a bulk call that creates users with their teams, as on the reference platform. */
  maxBulkTeamNameLength: 15,
  maxTeamBioLength: 72,
  /** Maximum length of a normalized name in code points. Normalization can replace one character by eighteen characters. */
  maxNameKeyLength: 256,
  /** Maximum number of teams with the same captain. The limit is checked when a team is transferred to a user. */
  maxTeamsPerCaptain: 3,
  /**
   * Maximum number of members of a team, and maximum number of teams of a user. The limits are checked when a user joins with an
   * invitation code, and when a user creates a team. Admins and identity providers may exceed these limits.
   */
  maxTeamMembers: 100,
  maxTeamsPerUser: 50,
  maxImageBytes: 3 * 1024 * 1024,
  /**
   * Maximum memory that decoding a picture needs, according to the picture's header. The limit allows 12 megapixels, or 9 in
   * AVIF.
   */
  maxPictureMemoryBytes: 180 * 1024 * 1024,
  /**
   * Maximum total memory of the process that decodes pictures. The process is killed if it exceeds this limit, even if the
   * picture's header promised less.
   */
  maxPictureProcessBytes: 256 * 1024 * 1024,
  maxPicturePixels: 50_000_000,
  /** Maximum total number of pixels in all frames of an animation. The total is limited, because browsers decode all frames. */
  maxPictureFramePixels: 100_000_000,
  maxStoredPictureBytes: 8 * 1024 * 1024,
  /**
   * Maximum CPU time to decode and store one picture. The maximum for reading the header of a picture is a twentieth of this
   * time.
   */
  maxPictureCpuSeconds: 10,
  /** Maximum wall-clock time to decode a picture. It is long enough for a busy machine. */
  maxPictureSeconds: 60,
  /** Maximum number of pictures that wait to be decoded, and maximum waiting time. Only one picture is decoded at a time. */
  maxWaitingPictures: 16,
  maxPictureWaitSeconds: 30,
  /** Maximum number of concurrent uploads of a user in each process. */
  maxConcurrentUploads: 8,
  /**
   * Maximum number of bytes of request bodies that a process holds in memory at the same time, in total and per user. The limit
   * per user allows two pictures, so that a few users cannot block other users.
   */
  maxBufferedUploadBytes: 48 * 1024 * 1024,
  maxBufferedUploadBytesPerUser: 6 * 1024 * 1024,
  /**
   * Maximum number of bytes of responses that a process holds in memory for slow clients. Responses below `minCountedAnswerBytes`
   * are not counted.
   */
  maxPendingAnswersBytes: 64 * 1024 * 1024,
  minCountedAnswerBytes: 64 * 1024,
  /**
   * Maximum number of files and other streams that a process compresses at the same time. Additional streams are sent
   * uncompressed, because each compressor needs up to 3 MB until the client has read the response.
   */
  maxCompressedStreams: 16,
  /** Minimum rate of an upload. Slower uploads are cancelled. */
  minUploadBytesPerSecond: 4096,
  uploadPaceSeconds: 20,
  /**
   * Maximum number of bytes that the server still reads from a refused body. Otherwise, the client might not receive the
   * response.
   */
  maxIgnoredUploadBytes: 64 * 1024 * 1024,
  maxWriteupBytes: 20 * 1024 * 1024,
  /** Maximum size of an archive with challenges or of an export from another platform. */
  maxImportBytes: 512 * 1024 * 1024,
  /** Maximum number of files and folders in an archive. */
  maxImportFiles: 50_000,
  maxUnpackedImportBytes: 2 * 1024 * 1024 * 1024,
  /**
   * Maximum ratio of the unpacked to the packed size of an archive. The ratio is not checked below `importRatioFreeBytes` of
   * unpacked data, because a small file of zeros has a ratio of 1,000.
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
   * Maximum number of archives that a process receives, reads, or holds in its queue, in total and per user. Because of the limit
   * per user, a slow sender cannot block other users. Each archive is on disk, so the size of `tmp` in the chart depends on this
   * limit.
   */
  maxPendingImports: 4,
  maxPendingImportsPerUser: 2,
  avatarWidthPx: 300,
  logoWidthPx: 640,
  faviconWidthPx: 256,
  sessionDays: 7,
  /** Maximum number of concurrent sessions per user. At this limit, another login ends the session that would expire first. */
  sessionsPerUser: 100,
  /** Maximum length of the `User-Agent` that is stored with a session. A longer text is cut. */
  maxUserAgentLength: 512,
  maxTokenNameLength: 128,
  maxSignInProviders: 20,
  maxProviderNameLength: 40,
  maxProviderKeyLength: 30,
  /** Maximum duration of a sign-in with an identity provider. */
  signInMinutes: 10,
  /** Maximum time to log in to an existing account, in order to link an identity provider to the account. */
  pendingLinkMinutes: 15,
  /** Maximum time between the password and the second factor in a log-in. */
  pendingLoginMinutes: 5,
  /**
   * Maximum number of wrong codes of the second factor, and maximum number of wrong passwords in a session. At this number, the
   * account must wait for `codeWaitMinutes`.
   */
  maxCodeAttempts: 10,
  codeWaitMinutes: 15,
  recoveryCodes: 10,
  passkeysPerUser: 10,
  /** Maximum number of API tokens, including revoked ones. */
  maxTokens: 500,
  mailTokenHours: 3,
  /** Maximum length of the text from a mail server's reply that admins see. */
  maxMailReasonLength: 300,
  maxGameMailSubjectLength: 150,
  maxGameMailTextLength: 8_000,
  /** Maximum rate at which the platform sends mails to the participants of games. */
  gameMailsPerSecond: 5,
  maxWebhooks: 50,
  maxWebhookNameLength: 60,
  maxWebhookKinds: 20,
  maxWebhookAddressLength: 2_000,
  maxWebhookTemplateLength: 4_000,
  /**
   * Maximum length of a notice or a reason in a webhook message. Admins also see this many characters of a receiver's response.
   */
  maxWebhookTextLength: 1_500,
  /** Time after the renewal of a webhook's signing key during which deliveries are also signed with the previous key. */
  previousKeyHours: 24,
  /** Hours without a successful delivery, and number of refused events in a row, after which a webhook is disabled. */
  maxWebhookFailureHours: 72,
  maxRefusedEvents: 20,
  /** Days for which the platform stores events that were sent to webhooks. */
  webhookLogDays: 30,
  searchHits: 30,
  /** Number of newest log lines that are considered if the log is sorted by a column other than time. */
  maxSortedLogLines: 10_000,
  /**
   * Maximum number of stored log lines, checked every hour. Above this number, the oldest lines of the source with the most lines
   * are deleted first.
   */
  maxRetainedLogLines: 1_000_000,
  recentGames: 10,
  /** Maximum number of games in the list of all games. */
  listedGames: 500,
  /** Maximum number of games whose links show a preview of the game. These are the newest public games. */
  previewedGames: 1_000,
  /** Maximum number of listed posts, and length of a post's id in hex digits. */
  latestPosts: 20,
  postIdLength: 8,
  maxPostTitleLength: 50,
  maxCertificateTitleLength: 100,
  maxCertificateTextLength: 1_500,
  maxCertificateSignerLength: 120,
  /** Maximum number of members whose names are on the certificate for a whole team. */
  maxCertificateMembers: 30,
  /** Maximum width and height of the background of a certificate, and maximum width of its logo and its signature. */
  certificateBackgroundPx: 2_000,
  certificatePicturePx: 800,
  /**
   * Maximum number of certificates that wait to be drawn in a process, and maximum waiting time. Only one certificate is drawn at
   * a time.
   */
  maxWaitingCertificates: 100,
  maxCertificateWaitSeconds: 30,
  /** Maximum number of past scoreboards in the queue of a process. A process builds one past scoreboard at a time. */
  maxWaitingPastBoards: 32,
  maxPastBoardWaitSeconds: 30,
  /**
   * Maximum number of concurrent searches of organizers in a process, and maximum number of waiting searches. Each search reads a
   * large part of a table, so many concurrent searches would delay all other calls.
   */
  concurrentSearches: 2,
  maxWaitingSearches: 100,
  maxSearchWaitSeconds: 30,
  /** Maximum number of teams with a timeline, among all teams and in each division. */
  timelineTeams: 10,
  bloodsPerChallenge: 3,
  /** Maximum number of bloods in the overview of a game. */
  deskBloods: 8,
  /** Maximum number of images with failed instances in the overview of a game. */
  deskFailures: 20,
  /** Maximum number of games on the public page of a team or player. */
  profileGames: 50,
  /** Maximum number of members on the public page of a team. */
  profileMembers: 100,
  /** Maximum number of teams on the public page of a player. */
  profileTeams: 50,
  deskChallenges: 300,
  deskTeams: 6,
  deskLeaders: 3,
  /** Maximum number of listed submissions of a team that contain flags of other teams, the newest first. */
  cheatsPerTeam: 100,
  /**
   * Maximum number of entries in a filtered list that are counted exactly. Above this number, the returned count is a lower
   * bound.
   */
  maxCountedEntries: 10_000,
  /** Maximum number of words in a search text that are matched separately. */
  maxSearchWords: 8,
  /** Minimum number of wrong flags within an hour for a team to count as stuck. A correct flag resets the count. */
  minWrongFlagsOfStuckTeam: 3,
  instanceCooldownSeconds: 10,
  testInstanceMinutes: 120,
  /** Maximum number of concurrent WebSocket connections to an instance, in all gateways together. */
  proxyConnectionsPerInstance: 64,
  maxProxyFrameBytes: 4096,
  proxyConnectionMinutes: 30,
  /** Maximum number of container logs that an api process streams at the same time, in total and per admin. */
  maxOpenLogs: 32,
  maxOpenLogsPerAdmin: 8,
  /** Maximum time for which a request streams a container log. */
  openLogMinutes: 60,
  /** Maximum number of existing lines that a request for a container log returns, counted from the end. */
  maxLogTailLines: 1_000,
  /** Maximum number of terminals that an api process relays at the same time: in total, and per admin. */
  maxOpenTerminals: 8,
  maxOpenTerminalsPerAdmin: 4,
  openTerminalMinutes: 60,
  /** Time without keyboard input after which a terminal ends. */
  idleTerminalMinutes: 15,
  maxTerminalMessageBytes: 64 * 1024,
  /** Maximum number of input bytes of a terminal within 10 s. */
  maxTerminalInputBytes: 1024 * 1024,
  /**
   * Maximum number of listed events of a container, and maximum lengths of an event's texts. The list contains the newest events.
   */
  maxContainerEvents: 20,
  maxEventReasonLength: 128,
  maxEventMessageLength: 1_024,
  /** Maximum number of instances that `npm start` runs as child processes. Each process needs about 50 MB. */
  maxLocalProcesses: 32,
  /** Default for the lifetime of instances, which admins can change. */
  defaultLifetimeMinutes: 120,
  extensionDurationMinutes: 120,
  renewalWindowMinutes: 10,
  /** Minimum leet entropy of a template that has neither [GUID] nor [TEAM_HASH]. */
  minFlagEntropyBits: 32,
} as const

/** Limits of the values in the settings of instances, both for a challenge and for the whole platform. */
export const InstanceLimits = {
  minCpuTenths: 1,
  maxCpuTenths: 1_024,
  minMemoryMb: 32,
  maxMemoryMb: 1_048_576,
  minStorageMb: 128,
  maxStorageMb: 1_048_576,
  minPort: 1,
  maxPort: 65_535,
  /** Bounds for the lifetime of an instance, and for the time that one extension adds. */
  minLifetimeMinutes: 1,
  maxLifetimeMinutes: 7_200,
  minRenewalWindowMinutes: 1,
  maxRenewalWindowMinutes: 360,
} as const

/** Maximum value of a 32-bit integer, as in the `integer` columns of PostgreSQL. */
const maxInt32 = 2_147_483_647

/** Limits of the containers of a challenge. The custom resource definition ChallengeInstance has the same limits. */
export const ContainerLimits = {
  /** Maximum number of containers of a challenge. */
  maxContainers: 8,
  /** Maximum length of the name of a container, of a network, or of an alias. */
  maxContainerNameLength: 24,
  /** Maximum length of the label that players see for a port. */
  maxPortLabelLength: 40,
  /** Maximum number of networks that connect the containers of a challenge. */
  maxNetworks: 8,
  /** Maximum number of aliases of a container in one network. */
  maxAliases: 8,
  /** Maximum total length of the environment variables that are not secret, in all containers of a challenge. */
  maxVariablesLength: 256 * 1024,
  /** Bounds for the number of arguments, and for the number of words in a command. */
  minArguments: 1,
  maxArguments: 64,
  /**
   * Maximum number of environment variables of a container that are not secret, and maximum number of its secret environment
   * variables.
   */
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
  /** Maximum length of the text that a container prints when it is ready. */
  maxReadyLineLength: 256,
  /** Maximum length of the name of a Kubernetes object. */
  maxObjectNameLength: 253,
} as const

/** Default values of games. */
export const Defaults = {
  /** Encoded bonuses of 50, 30 and 10 per mille (5 %, 3 %, 1 %). See docs/contract/scoreboard-and-events.md#ranking. */
  bloodBonus: 52_459_530,
  /** Maximum number of concurrent instances per team. */
  instancesPerTeam: 3,
} as const

/** Default values of the score of a challenge. */
export const ScoreDefaults = { points: 1_000, minimumShare: 0.25, decay: 5 } as const

/** Default values of a container. */
export const ContainerDefaults = { port: 80, cpuTenths: 1, memoryMb: 64, storageMb: 256 } as const

/**
 * Numbers of rows in a response: the maximum and the usual default. Lists with long rows have the default `short`. Lists of team
 * pairs have the default `pairs`.
 */
export const PageLimits = { max: 1_000, default: 100, short: 50, pairs: 20 } as const

/**
 * Limits of the tables in an export from another platform. The archive of the export must also meet the limits of all archives.
 */
export const ImportLimits = {
  /** Maximum total size of all tables, maximum size of a row, and maximum number of rows. */
  tableBytes: 512 * 1024 * 1024,
  rowBytes: 4 * 1024 * 1024,
  rows: 400_000,
  people: 50_000,
  challenges: 1_000,
  /**
   * Maximum product of the number of challenges and the number of teams. Each team is assigned each challenge, so the import
   * creates this number of rows.
   */
  assignments: 5_000_000,
  /** Maximum number of distinct findings in a report, and of listed rows per finding. */
  findings: 1_000,
  findingRows: 20,
  /** Maximum number of findings that a report lists for a challenge in an archive. */
  findingsOfChallenge: 200,
  differences: 500,
} as const

export const notEmpty = { minLength: 1 } as const

export const anyMember = { minProperties: 1 } as const
export const notEmptyList = { minItems: 1 } as const

export const notNegative = { minimum: 0 } as const
export const positive = { exclusiveMinimum: 0 } as const
export const share = { minimum: 0, maximum: 1 } as const

/**
 * Upper bounds for inputs that have no other limit, so that all input is bounded. The bounds are far above honest use. Lengths
 * are in code points, as in JSON Schema. The bounds do not apply to responses, so older data remains readable.
 */
export const InputLimits = {
  maxInt32,
  /** Minimum id of a row. */
  minId: 1,
  /** Maximum value of byte counts and other counts. JSON numbers up to this value are exact. */
  maxCount: Number.MAX_SAFE_INTEGER,
  /** Maximum length of an email address: RFC 5321, section 4.5.3.1.3, minus the angle brackets. */
  maxEmailLength: 254,
  maxPasswordLength: 1_024,
  /** Maximum length of a password hash from another platform. */
  maxForeignHashLength: 512,
  /** Maximum lifetime of an API token: ten years. */
  maxTokenDays: 3_650,
  /** Maximum length of three texts for an identity provider: the name of a claim, the client id, and the scopes. */
  maxClaimLength: 256,
  maxClientSecretLength: 1_024,
  /** Maximum length of the id of a team at an identity provider. */
  maxTeamKeyLength: 256,
  /** Maximum length of a code of the second factor, including blanks and hyphens. */
  maxFactorCodeLength: 64,
  maxSealedSetupLength: 1_024,
  maxPasskeyNameLength: 64,
  /** Maximum length of the JSON from an authenticator. Post-quantum keys and signatures need about 10,000 characters. */
  maxPasskeyAnswerLength: 32_768,
  /** Maximum length of the query string with which an identity provider sends a user back. */
  maxSignInAnswerLength: 8_192,
  /** Maximum length of the token from a captcha provider. Tokens of Google reCAPTCHA have about 2,000 characters. */
  maxCaptchaAnswerLength: 8_192,
  /** Maximum length of a token or an email address in a mailed link, in Base64. */
  maxLinkValueLength: 2_048,
  maxPhoneLength: 64,
  /** Maximum length of an ISO 8601 instant with a fraction and an offset. */
  maxInstantLength: 64,
  /** Last instant of the year 9999, in ms since 1970. */
  maxInstantMs: 253_402_300_799_999,
  uuidLength: 36,
  /** Maximum length of a scoreboard version, which consists of two numbers and a digest. */
  maxBoardVersionLength: 64,
  sha256HexLength: 64,
  /** Maximum length of the subject of a user at an identity provider (OpenID Connect Core 1.0, section 2). */
  maxSubjectLength: 255,
  /** Maximum length of a client address, such as `ffff:…:255.255.255.255` with an interface name. */
  maxAddressLength: 64,
  /** Maximum length of team tokens, public keys, and invitation codes of teams. */
  maxTokenLength: 256,
  /** Maximum length of the search text for a list. */
  maxSearchLength: 256,
  /** Maximum length of a word that has no fixed list of values, such as the level of log lines. */
  maxWordLength: 64,
  /** Maximum length of the title of a game or challenge, and of the platform's name. */
  maxTitleLength: 256,
  maxDivisionNameLength: 128,
  maxDivisions: 256,
  /** Maximum number of challenges for which a division has separate rights. */
  maxDivisionChallenges: 1_000,
  /**
   * Maximum length of an invitation code in a request. Codes above the smaller limit for stored codes get the same response as
   * wrong codes.
   */
  maxTypedCodeLength: 256,
  /** Maximum length of one-line texts and short texts, such as slogans, descriptions and hints. */
  maxShortTextLength: 8_192,
  /** Maximum length of a long text in Markdown, such as a page. */
  maxLongTextLength: 262_144,
  maxHints: 64,
  /** Maximum number of digests that are stored for the file of a game or challenge, one for each field. */
  maxRememberedFields: 256,
  /**
   * Maximum number of hours between the end of a game and its writeup deadline. The form asks for a number of hours, not for
   * the instant of the deadline.
   */
  maxWriteupHours: 100_000,
  maxTagLength: 64,
  maxTags: 64,
  maxUrlLength: 4_096,
  maxFileNameLength: 512,
  /** Maximum length of the name of an uploaded file. Longer names are cut. */
  maxUploadNameLength: 200,
  maxFilesPerUpload: 1_000,
  /** Maximum number of fields besides the file in an upload. These fields are ignored. */
  maxUploadFields: 20,
  maxUploadFieldBytes: 1_024,
  /** Maximum number of bytes of an upload besides the bytes of its files. A larger upload is refused. */
  maxUploadOverheadBytes: 1024 * 1024,
  maxImageNameLength: 512,
  maxColorLength: 32,
  maxEmailDomainsLength: 16_384,
  /** Maximum number of users, maximum number of flags, and maximum number of reports in one call. */
  maxBulkUsers: 5_000,
  maxFlagsPerCall: 5_000,
  maxReportsPerCall: 10_000,
  /** Maximum size of a recorder's report on its stored segments. A recorder stores a few hundred segments at most. */
  maxRecorderReportBytes: 4 * 1024 * 1024,
  /**
   * Maximum value of a challenge. With the largest bonus, the total of a thousand such challenges still fits into an integer
   * column.
   */
  maxScore: 1_000_000,
  maxDecay: 1_000_000_000,
  /** Maximum length of a text that selects challenges in an archive by positions and ranges. */
  maxImportChoiceLength: 4_096,
  /** Maximum length of a text that lists the ids of writeups. */
  maxWriteupChoiceLength: 8_000,
  /** Maximum encoded blood bonus, which consists of three values of ten bits each. */
  maxBloodBonus: 2 ** 30 - 1,
} as const

/** Bounds of a JSON body. */
export type BodyBounds = Readonly<{
  maxBytes: number
  /** Maximum number of values. The root, each member of an object, and each element of an array count as one value. */
  maxValues: number
}>

/** Maximum nesting depth of a JSON body. */
export const maxJsonDepth = 32

/** Possible bounds of JSON bodies. A call has the bounds `default` unless it selects other bounds. */
export const BodyLimits = {
  default: { maxBytes: 64 * 1024, maxValues: 4_000 },
  /** Bounds for long texts with related data, such as a challenge with its flags. */
  document: { maxBytes: 2 * 1024 * 1024, maxValues: 50_000 },
  /** Bounds for bulk calls with many rows. */
  bulk: { maxBytes: 4 * 1024 * 1024, maxValues: 100_000 },
} as const satisfies Record<string, BodyBounds>

/**
 * Limits for reading the rest of a request body after the response was sent. If the server closed the connection earlier, the
 * client could lose the response.
 */
export const unreadBodyLimits = { maxBytes: 16 * 1024 * 1024, maxMs: 5_000 } as const

/**
 * Maximum sizes of request headers that we interpret, in bytes. A longer header counts as absent. The HTTP server also limits the
 * total size of all headers (16 KiB).
 */
export const HeaderLimits = {
  maxAcceptLanguageBytes: 1_024,
  maxAcceptEncodingBytes: 1_024,
  maxIfNoneMatchBytes: 4_096,
  maxRangeBytes: 256,
  maxSessionCookieBytes: 256,
  maxAuthorizationBytes: 512,
} as const

/**
 * Rate limits. A call with a user counts toward the limit of the user, and a call without a user toward the limit of its address.
 * See docs/contract/errors-and-limits.md#rate-limits.
 */
export const RateLimits = {
  global: { perMinute: 150, segments: 6, queued: 60 },
  /**
   * Limit of an IPv6 network of 48 bits, as a multiple of the `global` limit of an address. It applies to clients without a
   * session.
   */
  addressesPerNetwork: 10,
  register: { count: 20, windowSeconds: 150 },
  /** Limit of calls for sign-ins with identity providers, per address. Each sign-in makes two calls. */
  signIn: { count: 300, windowSeconds: 150 },
  /**
   * Maximum number of messages of a user in tickets. Unlike the limit of the team, this limit remains if the user leaves the game
   * and joins it again.
   */
  ticketMessage: { count: Limits.ticketMessagesPerMinute, windowSeconds: 60 },
  ticketState: { count: 20, windowSeconds: 60 },
  powChallenge: { capacity: 40, refill: 5, refillSeconds: 30 },
  submit: { capacity: 100, refill: 50, refillSeconds: 5 },
  container: { capacity: 120, refill: 30, refillSeconds: 10 },
  concurrency: { running: 1, queued: 20 },
  /** Limit for starting instances of a team in a game, in addition to `container`. Failed starts count, too. */
  instanceStart: { capacity: 10, refill: 1, refillSeconds: 3 },
  /** Maximum number of emails to one mailbox for each kind of link. The limits of the requester apply in addition. */
  recipient: { count: 3, windowSeconds: 3600 },
  /** Maximum number of mails to the participants of a game, from all its organizers together. */
  gameMail: { count: 4, windowSeconds: 3600 },
  /** Maximum number of teams that a user can register for a game. A team mate who joins a registered team does not count. */
  registration: { count: 10, windowSeconds: 3600 },
} as const

/**
 * Default limits for clients of the gateway. Each gateway process counts hub sockets separately: by user for users who are logged
 * in, and otherwise by address. The limits per address are high, because a campus with one address may have hundreds of players.
 * Attempts to connect are counted in all gateways together.
 */
export const GatewayLimits = {
  hubSocketsPerAddress: 300,
  hubSocketsPerUser: 50,
  hubSockets: 15_000,
  /** Maximum number of hub sockets per address whose handshake is unfinished. */
  unfinishedHubSocketsPerAddress: 200,
  /**
   * Maximum number of attempts to connect to hubs, per address and minute. Negotiations have a separate limit of the same size.
   * The limit allows 1,500 clients with one address to reconnect twice a minute.
   */
  hubAttemptsPerAddressMinute: 3_000,
  proxyConnections: 10_000,
  proxyAttemptsPerInstanceMinute: 600,
  proxyAttemptsPerAddressMinute: 3_000,
  /**
   * Maximum number of connections to an instance in all gateways together. WebSockets of the platform do not count. For a client
   * behind a trusted proxy, concurrent requests are counted instead of connections.
   */
  instanceConnections: 256,
  /** Maximum number of connections from one client address to an instance, in each gateway. */
  instanceConnectionsPerAddress: 64,
} as const

/** Limits of the gateway that operators cannot change. They apply to each gateway process separately. */
export const GatewayBounds = {
  /** Maximum size of a message from a hub client. */
  maxHubMessageBytes: 32 * 1024,
  /**
   * Maximum size of a frame from a hub client. A frame of this size can contain one message of maximum size, or several smaller
   * messages.
   */
  maxHubFrameBytes: 33 * 1024,
  /**
   * Maximum number of messages that a hub client may send within 15 s. Pings, pongs and frames with partial messages also count.
   */
  maxHubMessages: 100,
  /**
   * Maximum number of bytes that a hub client sends within 15 s. An incomplete frame has the same maximum number of bytes. This
   * number allows two frames of maximum size.
   */
  maxHubBytes: 66 * 1024,
  /** Maximum number of hub sockets whose handshake is unfinished. */
  unfinishedHubSockets: 2_000,
  /** Maximum number of connections whose TLS handshake is unfinished, in total and per address. */
  unfinishedHandshakes: 2_000,
  unfinishedHandshakesPerAddress: 200,
  /** Limit of an IPv6 network of 48 bits, as a multiple of the limit of an address. */
  addressesPerNetwork: 4,
  /** Maximum number of open connections of strangers to the plain ports of an instance, in all gateways together. */
  strangerConnections: 32,
  /**
   * Maximum number of open connections from one network of strangers to the plain ports of an instance, in all gateways together.
   * A network is an IPv4 address, or an IPv6 network of 48 bits.
   */
  strangerConnectionsPerNetwork: 8,
  /** Time for which an instance accepts no strangers at its plain ports, after it refused a player while strangers were connected. */
  strangersPauseMs: 30_000,
  /**
   * Number of concurrent requests for each permitted connection from an address to an instance. Requests are limited separately,
   * because one HTTP/2 connection can carry many requests.
   */
  requestsPerPermittedConnection: 4,
  /**
   * Value of `Retry-After` for a client that exceeded a limit of open sockets. The value is an estimate, because the gateway
   * cannot predict when a socket closes.
   */
  retryAfterSeconds: 30,
} as const

/** Limits for the parts in which a client may send one message of a WebSocket. Each part needs memory, regardless of its size. */
export const WebSocketLimits = {
  maxFragments: 16,
  /** Maximum number of received chunks in the buffer of an incomplete fragment. */
  maxBufferedChunks: 128,
} as const

/** Default limits for the retention of the connection log. */
export const ConnectionLogLimits = { days: 90, rowsPerInstance: 1_000 } as const

/** Limits for the connections of all listeners: api, gateway, web, and `npm start` (ADR 12). */
export const ListenerLimits = {
  /** Maximum time until all headers of a request have arrived, from the start of the connection or of the request. */
  headersMs: 20_000,
  /**
   * Maximum time until the body of a request has arrived. An upload gets more time, according to its size and the minimum rate.
   */
  bodyMs: 60_000,
  uploadBytesPerSecond: 4 * 1024,
  /**
   * Minimum average size of the pieces of a request body. A piece is an HTTP chunk, or a part that arrives alone. Each piece needs
   * about 300 bytes of memory in addition to its content.
   */
  minPieceBytes: 32,
  /** Maximum number of pieces in addition to the number that `minPieceBytes` permits for the size of the body. */
  maxSmallPieces: 1_000,
  /**
   * Maximum idle time of a connection. It is longer than the idle time of proxies in front of the platform, such as 60 s in most
   * Ingress controllers. So the proxy closes an idle connection first.
   */
  idleMs: 75_000,
  /**
   * Maximum time without progress during a call. Progress means that either side sends a byte, or that the client reads a byte.
   * Upgraded connections have no such limit once their upgrade is accepted.
   */
  stalledMs: 300_000,
  /** Interval at which a server checks the time limits of its connections. */
  sweepMs: 1_000,
  maxHeadersBytes: 16 * 1024,
  maxConnections: 16_384,
  /**
   * Default maximum number of connections of one client address. The concurrent requests of the address have the same limit. The
   * limit is high enough for a school with some hundred players behind one address, each with a browser that opens several
   * connections. For clients behind a trusted proxy or our web process, only the requests count. The addresses of these proxies
   * and of the web process have no limit.
   */
  maxConnectionsPerAddress: 2_048,
  /**
   * Maximum number of requests that an HTTP/1.1 client sends without waiting for responses. A process handles all requests that
   * arrive together before it serves other clients. Browsers and proxies wait for each response.
   */
  maxPipelinedRequests: 64,
  /** Maximum number of requests on one HTTP/1.1 connection. */
  requestsPerConnection: 100_000,
} as const

/**
 * Maximum idle time of a connection between processes of the platform, in ms. The caller closes an idle connection earlier than the
 * server does (ADR 12).
 */
export const hopIdleMs = 2_000

/**
 * Maximum time to connect to another process of the platform, in ms. It includes the attempts at all addresses, but not the
 * lookup of the addresses.
 */
export const hopConnectMs = 5_000

/** Waiting time before a parallel connection attempt at the next address, in ms. */
export const hopAttemptMs = 1_000
