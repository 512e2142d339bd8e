/**
 * Every constant of the product, with its unit in the name. Schemas repeat none of these: they import them.
 */
export const Limits = {
  passwordMinLength: 6,
  /** Of a password that the platform makes up. */
  randomPasswordLength: 16,
  userNameMinLength: 3,
  userNameMaxLength: 15,
  userBioMaxLength: 128,
  realNameMaxLength: 128,
  studentNumberMaxLength: 64,
  /** The code of a game that has no divisions with codes of their own. */
  gameCodeMaxLength: 32,
  divisionCodeMinLength: 6,
  divisionCodeMaxLength: 32,
  flagMaxLength: 127,
  /** Of a regular expression that flags match. */
  flagPatternMaxLength: 256,
  /** Instructions that a pattern is compiled to: an answer costs each of them at most once for each of its characters. */
  flagPatternMaxInstructions: 1_000,
  /** Flags of a challenge that are not compared letter by letter: each is looked at for every wrong answer. */
  flagRulesMax: 20,
  /** Rows of the first part of a scoreboard. */
  leadingTeams: 50,
  /** Of a challenge, told of beside the board. */
  latestSolvers: 6,
  /** Wrong flags of a challenge that a team can list, the newest ones. */
  maxWrongAnswers: 50,
  challengeTagsMax: 10,
  challengeTagMaxLength: 30,
  flagTemplateMaxLength: 120,
  /** In a flag, in hex digits. */
  teamHashLength: 12,
  teamNameMaxLength: 20,
  /** Of a team that is made along with its users: the reference has it so. */
  bulkTeamNameMaxLength: 15,
  teamBioMaxLength: 72,
  /** Code points of what names are unique by; some characters of a name stand for eighteen. */
  nameKeyMaxLength: 256,
  /** A team may be handed to a user who is captain of fewer teams than this. */
  captainOfTeamsMax: 3,
  imageMaxBytes: 3 * 1024 * 1024,
  /** Working memory that a picture may ask for by its header: 12 megapixels in every format but AVIF, which gets 9. */
  pictureMemoryMaxBytes: 180 * 1024 * 1024,
  /** The process that decodes pictures, all of it; one that grows beyond ends, whatever the header said. */
  pictureProcessMaxBytes: 256 * 1024 * 1024,
  pictureMaxPixels: 50_000_000,
  /** All frames of an animation together: every browser that shows it decodes them. */
  pictureMaxFramePixels: 100_000_000,
  pictureStoredMaxBytes: 8 * 1024 * 1024,
  /** Of a processor, to decode and store one picture; reading its header gets a twentieth. */
  pictureMaxCpuSeconds: 10,
  /** By the clock, however busy the machine is. */
  pictureMaxSeconds: 60,
  /** One picture is decoded at a time, so many wait, and no longer than this. */
  picturesWaiting: 16,
  pictureMaxWaitSeconds: 30,
  /** Of one user in one process. */
  uploadsAtOnce: 8,
  /** Bodies that are held in memory at once, in one process, of all users and of one: two pictures, so that few users keep out nobody. */
  uploadsHeldMaxBytes: 48 * 1024 * 1024,
  uploadsHeldOfUserMaxBytes: 6 * 1024 * 1024,
  /** Answers that are in one process for clients who take them slowly; smaller ones are not counted. */
  answersHeldMaxBytes: 64 * 1024 * 1024,
  answerHeldLeastBytes: 64 * 1024,
  /** A body that brings less than this in such a time, while it is waited for, is given up. */
  uploadLeastBytesPerSecond: 4096,
  uploadPaceSeconds: 20,
  /** How much of a body that was refused is read so that its sender gets to see the answer. */
  uploadIgnoredMaxBytes: 64 * 1024 * 1024,
  writeupMaxBytes: 20 * 1024 * 1024,
  /** Of an archive with challenges, or of the export of another platform. */
  importMaxBytes: 512 * 1024 * 1024,
  /** Of what is in it. */
  importFilesMax: 50_000,
  importUnpackedMaxBytes: 2 * 1024 * 1024 * 1024,
  /** Unpacked over packed; not looked at below `importRatioFreeBytes`, for one page of zeros packs a thousand times. */
  importRatioMax: 100,
  importRatioFreeBytes: 64 * 1024 * 1024,
  importDepthMax: 32,
  /** By the clock, for an archive to arrive. */
  importArrivalMaxSeconds: 600,
  /** By the clock, to read an archive. */
  importMaxSeconds: 120,
  /** Archives that one process reads at once. */
  importsAtOnce: 2,
  /**
   * Archives that arrive, wait or are read in one process, of all users and of one: who sends slowly keeps out nobody else. Each lies
   * on the disk, for which `tmp` of the api has its size in the chart.
   */
  importsHeld: 4,
  importsHeldOfUser: 2,
  avatarWidthPx: 300,
  logoWidthPx: 640,
  faviconWidthPx: 256,
  sessionDays: 7,
  /** Of one user at a time: a further one ends that which would be over first. */
  sessionsPerUser: 100,
  tokenNameMaxLength: 128,
  /** API tokens of the platform, revoked ones included. */
  tokensMax: 500,
  mailTokenHours: 3,
  /** Of what a mail server said, as an admin is told it. */
  mailReasonMaxLength: 300,
  searchHits: 30,
  /** The newest lines of the log, which can be ordered by something else than their time. */
  logOrdered: 10_000,
  /** Lines of the log that are kept, looked after every hour; of whoever has most the oldest go first. */
  logKept: 1_000_000,
  recentGames: 10,
  /** Posts that are listed, and hex digits of the id of one. */
  latestPosts: 20,
  postIdLength: 8,
  postTitleMaxLength: 50,
  /** Teams whose points are drawn over time, overall and in each division. */
  timelineTeams: 10,
  bloodsPerChallenge: 3,
  /** Lines of the desk of a game. */
  deskBloods: 8,
  deskFailures: 20,
  /** Games of a public page at once. */
  profileGames: 50,
  /** Members on a team's public page. */
  profileMembers: 100,
  /** Teams on a player's public page. */
  profileTeams: 50,
  deskChallenges: 300,
  deskTeams: 6,
  deskLeaders: 3,
  /** Of each team that handed in flags of others, the newest. */
  cheatsPerTeam: 100,
  /** Entries that a filtered list counts. More are given as a lower bound. */
  countedEntries: 10_000,
  /** Words of a search that are looked for one by one. */
  searchWords: 8,
  /** Wrong flags in an hour, without a right one, from which on a team counts as stuck. */
  deskStuckWrongLeast: 3,
  instanceCooldownSeconds: 10,
  testInstanceMinutes: 120,
  /** Open at once, through all gateways together. */
  proxyConnectionsPerInstance: 64,
  proxyFrameMaxBytes: 4096,
  proxyConnectionMinutes: 30,
  /** Challenges that `npm start` runs as child processes, of about 50 MB each. */
  localProcessesMax: 32,
  /** Instances, in minutes, until an admin changes them. */
  defaultLifetimeMinutes: 120,
  extensionDurationMinutes: 120,
  renewalWindowMinutes: 10,
  /** Leet entropy that a template without [GUID] and [TEAM_HASH] must reach. */
  flagEntropyBitsMin: 32,
} as const

/** What an organizer may set for the instances of a challenge, and for all instances. */
export const InstanceLimits = {
  cpuTenthsMin: 1,
  cpuTenthsMax: 1_024,
  memoryMbMin: 32,
  memoryMbMax: 1_048_576,
  storageMbMin: 128,
  storageMbMax: 1_048_576,
  portMin: 1,
  portMax: 65_535,
  /** Of their life, and of what an extension adds to it. */
  lifetimeMinutesMin: 1,
  lifetimeMinutesMax: 7_200,
  renewalWindowMinutesMin: 1,
  renewalWindowMinutesMax: 360,
} as const

/** Columns of the database that hold whole numbers hold no greater ones. */
const int32Max = 2_147_483_647

/** What a challenge may ask of its container. The definition of ChallengeInstance has the same bounds. */
export const ContainerLimits = {
  /** Of a command, and of its arguments. */
  argumentsMin: 1,
  argumentsMax: 64,
  /** Plain ones, and secret ones. */
  variablesMax: 128,
  flagVariablesMax: 8,
  pathMaxLength: 256,
  writablePathsMax: 8,
  furtherPortsMax: 15,
  /** What Kubernetes and Linux agree on. */
  userIdMin: 0,
  userIdMax: int32Max,
  fileModeMaxLength: 4,
  writableMbMin: 1,
  startTimeoutSecondsMin: 1,
  startTimeoutSecondsMax: 600,
  /** Of the text in a line that shows that a container is ready. */
  readyLineMaxLength: 256,
  /** Of a name in a cluster. */
  objectNameMaxLength: 253,
} as const

/** What a game or a challenge has until somebody sets it. */
export const Defaults = {
  /** 50, 30 and 10 per mille (5 %, 3 %, 1 %). Rules: docs/contract/scoreboard-and-events.md#ranking. */
  bloodBonus: 52_459_530,
  /** Of a team at a time. */
  instancesPerTeam: 3,
  cpuTenths: 1,
  memoryMb: 64,
  storageMb: 256,
  exposedPort: 80,
  originalScore: 1_000,
  minScoreRate: 0.25,
  difficulty: 5,
} as const

/** Rows of an answer: at most, where the client does not say, and of lists with long rows where it does not. */
export const PageLimits = { most: 1_000, usual: 100, short: 50, pairs: 20 } as const

/** Of the tables in the export of another platform, whose archive has the bounds of all archives. */
export const ImportLimits = {
  /** Of the tables: bytes of all of them, of one row, and rows. */
  tableBytes: 512 * 1024 * 1024,
  rowBytes: 4 * 1024 * 1024,
  rows: 400_000,
  people: 50_000,
  challenges: 1_000,
  /** Challenges times teams: each team is given each challenge. */
  assignments: 5_000_000,
  /** Different things that a report tells, rows that it names of each, and teams whose points differ. */
  findings: 1_000,
  findingRows: 20,
  /** Fields of one challenge in an archive that are named. */
  findingsOfChallenge: 200,
  differences: 500,
} as const

/** Bounds that say of what kind a text or a number is. */
export const notEmpty = { minLength: 1 } as const
export const notNegative = { minimum: 0 } as const
export const positive = { exclusiveMinimum: 0 } as const
export const share = { minimum: 0, maximum: 1 } as const

/**
 * What input may measure at most, where the product itself sets no limit: far above what honest clients send, so that nothing
 * that comes in is unbounded. Lengths in Unicode code points, as JSON Schema counts them. Answers are not judged by it: what was
 * stored before a bound existed stays readable.
 */
export const InputLimits = {
  int32Max,
  /** Keys of rows. */
  idMin: 1,
  /** Bytes and other counts that JSON numbers hold exactly. */
  countMax: Number.MAX_SAFE_INTEGER,
  /** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
  emailMaxLength: 254,
  passwordMaxLength: 1_024,
  /** Of a hash of another platform. */
  foreignHashMaxLength: 512,
  /** Ten years. */
  tokenDaysMax: 3_650,
  /** Answers of captcha providers; those of reCAPTCHA have about 2,000. */
  captchaAnswerMaxLength: 8_192,
  /** Base64 of a token or an address in a mailed link. */
  linkValueMaxLength: 2_048,
  phoneMaxLength: 64,
  /** ISO 8601 with a fraction and an offset. */
  instantMaxLength: 64,
  uuidLength: 36,
  /** Of a scoreboard: two numbers and a digest. */
  boardVersionMaxLength: 64,
  sha256HexLength: 64,
  /** Of a client: `ffff:…:255.255.255.255` with the name of an interface behind it. */
  addressMaxLength: 64,
  /** Team token and public key, and invitation codes of teams. */
  tokenMaxLength: 256,
  /** What is looked for in lists. */
  searchMaxLength: 256,
  /** A word out of a list that is not closed, such as the level of log lines. */
  wordMaxLength: 64,
  /** Of games and challenges; also the name of the platform. */
  titleMaxLength: 256,
  divisionNameMaxLength: 128,
  divisionsMax: 256,
  /** A code that somebody types in; one that is too long for a game's own is answered as a wrong code. */
  typedCodeMaxLength: 256,
  /** Lines and short texts: slogans, descriptions, hints. */
  shortTextMaxLength: 8_192,
  /** Markdown that people read on a page. */
  longTextMaxLength: 262_144,
  hintsMax: 64,
  /** Fields of a file whose digests are kept. */
  rememberedFieldsMax: 256,
  /** From the end of a game to the deadline of its writeups, as a form takes it. */
  writeupHoursMax: 100_000,
  tagMaxLength: 64,
  tagsMax: 64,
  urlMaxLength: 4_096,
  fileNameMaxLength: 512,
  /** Names of uploads are cut to so much of their end. */
  uploadNameMaxLength: 200,
  filesPerUploadMax: 1_000,
  /** Fields beside the files of an upload, which are ignored. */
  uploadFieldsMax: 20,
  uploadFieldMaxBytes: 1_024,
  imageNameMaxLength: 512,
  colorMaxLength: 32,
  emailDomainsMaxLength: 16_384,
  /** Rows of one call. */
  bulkUsersMax: 5_000,
  flagsPerCallMax: 5_000,
  reportsPerCallMax: 10_000,
  /** What a recorder says of its segments; it keeps a few hundred at most. */
  recorderReportMaxBytes: 4 * 1024 * 1024,
  /** With the greatest bonus a thousand challenges of this value add up to what a total can hold. */
  scoreMax: 1_000_000,
  difficultyMax: 1_000_000_000,
  /** Positions and ranges of challenges in an archive. */
  importChoiceMaxLength: 4_096,
  /** Three parts of ten bits. */
  bloodBonusMax: 2 ** 30 - 1,
} as const

/** How much JSON a body may hold. */
export interface BodyBounds {
  readonly maxBytes: number
  /** Members of objects, elements of arrays and the whole, counted together. */
  readonly maxValues: number
}

/** Arrays and objects within each other in a JSON body. */
export const jsonDepthMax = 32

/** Bounds of JSON bodies; a call names another than the default where it needs more. */
export const BodyLimits = {
  default: { maxBytes: 64 * 1024, maxValues: 4_000 },
  /** Long texts, and what clients send back beside them, such as the flags of a challenge. */
  document: { maxBytes: 2 * 1024 * 1024, maxValues: 50_000 },
  /** Many rows at once. */
  bulk: { maxBytes: 4 * 1024 * 1024, maxValues: 100_000 },
} as const satisfies Record<string, BodyBounds>

/** What may still come of a body whose call has been answered without it. */
export const unreadBodyLimits = { maxBytes: 16 * 1024 * 1024, maxMs: 5_000 } as const

/** Of the request headers that we interpret, in bytes; a longer one counts as absent. All together the HTTP server bounds (16 KiB). */
export const HeaderLimits = {
  acceptLanguageMaxBytes: 1_024,
  acceptEncodingMaxBytes: 1_024,
  ifNoneMatchMaxBytes: 4_096,
  rangeMaxBytes: 256,
  sessionCookieMaxBytes: 256,
  authorizationMaxBytes: 512,
} as const

/** Rate limits, per user, else per address. Rules: docs/contract/errors-and-limits.md#rate-limits. */
export const RateLimits = {
  global: { perMinute: 150, segments: 6, queued: 60 },
  register: { count: 20, windowSeconds: 150 },
  submit: { capacity: 100, refill: 50, refillSeconds: 5 },
  container: { capacity: 120, refill: 30, refillSeconds: 10 },
  concurrency: { running: 1, queued: 20 },
  /** Mails with a link of one kind to one mailbox, beside the limits of whoever asks for them. */
  recipient: { count: 3, windowSeconds: 3600 },
} as const

/**
 * What clients may use of the gateways, until an operator changes it. Sockets of hubs count in each gateway process for itself, by
 * user where somebody is signed in, else by address: a campus behind one address has hundreds of players. Attempts on proxied
 * connections count over all gateways.
 */
export const GatewayLimits = {
  hubSocketsPerAddress: 300,
  hubSocketsPerUser: 50,
  hubSockets: 15_000,
  /** Of these, sockets that have not come through the handshake. */
  unfinishedHubSocketsPerAddress: 200,
  /** Negotiations, and as many attempts to connect: 1,500 clients behind one address may all come back twice a minute. */
  hubAttemptsPerAddressMinute: 3_000,
  proxyConnections: 10_000,
  proxyAttemptsPerInstanceMinute: 600,
  proxyAttemptsPerAddressMinute: 3_000,
  /**
   * By host name, TLS and port: of an instance, through all gateways together, and of one address to it, through each. Of a client
   * behind a believed proxy its requests under way count for its address.
   */
  instanceConnections: 256,
  instanceConnectionsPerAddress: 64,
} as const

/** Of each gateway process, beside the above. */
export const GatewayBounds = {
  /** One message of a client to a hub, and a frame, which may hold several. */
  hubMessageMaxBytes: 32 * 1024,
  hubFrameMaxBytes: 128 * 1024,
  /** Sockets of hubs that have not come through the handshake. */
  unfinishedHubSockets: 2_000,
  /** Connections whose TLS has not ended yet. */
  unfinishedHandshakes: 2_000,
  unfinishedHandshakesPerAddress: 200,
  /** Requests under way to an instance from one address, for each connection that it may have there: HTTP/2 has many on one. */
  requestsPerConnection: 4,
  /** Told to clients that found a bound of open sockets reached: nobody knows when one is free. */
  retryAfterSeconds: 30,
} as const

/** How much of the log of proxied connections is kept, until an operator changes it. */
export const ConnectionLogLimits = { days: 90, rowsPerInstance: 1_000 } as const

/** What every listener of the platform lets a connection do: api, gateway, web, and the one of `npm start` (ADR 12). */
export const ListenerLimits = {
  /** From the start of a connection, or of a further request on it, to the end of the request's headers. */
  headersMs: 20_000,
  /** For a body. An upload has this long beyond what its bytes pay for at the least rate. */
  bodyMs: 60_000,
  uploadBytesPerSecond: 4 * 1024,
  /** How long a connection without a request stays open: longer than anybody in front keeps one, most Ingress controllers 60 s. */
  idleMs: 75_000,
  /** How long a call may stand still: no byte from the client, none taken by it, none from us. Upgraded connections are free of it. */
  stalledMs: 300_000,
  /** How often connections are looked at. */
  sweepMs: 1_000,
  headersMaxBytes: 16 * 1024,
  connectionsMax: 16_384,
  requestsPerConnection: 100_000,
} as const

/**
 * How long a process keeps a connection to another one without a request: less than the 3 s in which one that leaves still answers, and
 * far less than `ListenerLimits.idleMs`, so that no call meets a connection that the other side is closing (ADR 12).
 */
export const hopIdleMs = 2_000

/** How long a process tries to reach another one by all its addresses, once they are known, in ms. */
export const hopConnectMs = 5_000

/** How long one address of another process has to accept a connection before the next address is tried, in ms. */
export const hopAttemptMs = 1_000
