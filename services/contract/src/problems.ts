/**
 * The whole error catalogue. A failure that is expected has a code here; everything else is a defect.
 * `title` is the English text that people read (Spec §8 where it gives one); translations are keyed by the same code.
 * `wireStatus` is the `status` of the body where clients expect another number than the HTTP status.
 */
export const problems = {
  // The request itself
  'request.invalid': { status: 400, title: 'Please check your input' },
  'request.parameter': { status: 400, title: 'Incorrect parameter, please check' },
  'request.content-type': { status: 415, title: 'This content type is not supported here' },
  'request.too-large': { status: 413, title: 'The request is too large' },
  'request.too-slow': { status: 408, title: 'The upload is too slow, please try again' },
  'request.origin': { status: 403, title: 'The request came from another site' },
  'request.rate-limited': { status: 429, title: 'Too many requests' },
  'route.not-found': { status: 404, title: 'There is nothing at this address' },
  'route.method': { status: 405, title: 'This method is not available here' },
  'server.unexpected': { status: 500, title: 'Unknown error' },
  'server.unavailable': { status: 503, title: 'Please try again later' },

  // Session and roles
  'session.required': { status: 401, title: 'Please log in first' },
  'session.banned': { status: 403, title: 'User has been banned' },
  'role.insufficient': { status: 403, title: 'You are not allowed to do this' },

  // Accounts
  'login.failed': { status: 401, title: 'Wrong username or password' },
  'login.banned': { status: 401, title: 'User has been banned' },
  'captcha.failed': { status: 400, title: 'The captcha failed. Please try again.' },
  'register.closed': { status: 400, title: 'Registration is closed' },
  'email.domain': { status: 400, title: 'This email domain is not allowed' },
  'email.taken': { status: 400, title: 'This email address is already in use' },
  'email.not-sent': { status: 400, title: 'The email could not be sent' },
  'email.no-server': { status: 400, title: 'No mail server is configured' },
  'email.refused': { status: 400, title: 'The mail server did not accept the email' },
  'email.token': { status: 401, title: 'Failed to verify email' },
  'username.taken': { status: 400, title: 'This username is already in use, or looks like one that is' },
  'username.address': { status: 400, title: 'A username cannot be an email address' },
  'name.unreadable': { status: 400, title: 'The name contains line breaks or characters that cannot be seen' },
  'password.weak': {
    status: 400,
    title: 'The password needs at least 6 characters with a digit, a lowercase and an uppercase letter',
  },
  'password.wrong': { status: 400, title: 'The current password is wrong' },
  'account.unknown': { status: 404, title: 'There is no such account' },
  'account.already-active': { status: 400, title: 'This account is already active' },
  'account.verify-failed': { status: 400, title: 'Failed to verify the account' },
  'account.token': { status: 401, title: "Ouch! There's something wrong with your activation link" },
  'reset.token': { status: 400, title: 'The reset link is wrong or has expired' },
  'reset.by-admin': { status: 400, title: 'Please ask an admin to reset your password' },

  // Files
  'file.missing': { status: 400, title: 'Please select a file' },
  'file.too-large': { status: 400, title: 'Please check file format and size' },
  'file.unreadable': { status: 400, title: 'Failed to load file' },
  'file.unknown': { status: 404, title: 'There is no such file' },

  // Teams
  'team.unknown': { status: 404, title: 'There is no such team' },
  'team.name-required': { status: 400, title: 'The team needs a name' },
  'team.name-taken': { status: 400, title: 'A team with this name, or one that looks like it, already exists' },
  'team.already-captain': { status: 400, title: 'You are already the captain of a team' },
  'team.not-captain': { status: 403, title: 'Only the captain can do this' },
  'team.not-member': { status: 400, title: 'You are not a member of this team' },
  'team.already-member': { status: 400, title: 'You are already a member of this team' },
  'team.member-unknown': { status: 400, title: 'This user is not a member of the team' },
  'team.captain-stays': { status: 400, title: 'The captain cannot leave or be removed. Transfer the team first.' },
  'team.captain-of-too-many': { status: 400, title: 'This user is already the captain of too many teams' },
  'team.invite': { status: 400, title: 'Incorrect team invitation code' },
  'team.locked': { status: 400, title: 'The team is locked while it takes part in a game' },
  'team.token-form': { status: 400, title: 'The team token or the public key has the wrong form' },
  'team.token-signature': { status: 401, title: 'The signature of the team token is wrong' },

  // Games
  'game.unknown': { status: 404, title: 'There is no such game' },
  'game.not-started': { status: 400, wireStatus: 10001, title: 'Game not yet started' },
  /** Reads that open with the game (scoreboard, notices, monitoring): a plain 400, behaviour §8. */
  'game.before-start': { status: 400, title: 'Game not yet started' },
  'game.ended': { status: 400, wireStatus: 10002, title: 'The game has ended' },
  'game.times': { status: 400, title: 'The game must end after it starts' },
  'game.divisions': { status: 400, title: 'Division names must be different from each other, not empty, and not "all"' },
  'game.division-code': { status: 400, title: 'A division code needs 6 to 32 characters' },
  'game.delete-failed': { status: 400, title: 'The game could not be deleted. Nothing was changed.' },
  'join.code': { status: 400, title: 'The invitation code is wrong' },
  'join.division': { status: 400, title: 'Please select the division' },
  'join.division-fixed': { status: 400, title: 'The team already takes part in another division' },
  'join.already': { status: 400, title: 'You have already joined this game' },
  'join.team-full': { status: 400, title: 'The team has no free spot in this game' },
  'leave.not-joined': { status: 400, title: 'You have not joined this game' },
  'leave.too-late': { status: 400, title: 'You can only leave while your request is pending or rejected' },
  'participation.unknown': { status: 404, title: 'There is no such participation' },
  'participation.status': { status: 400, title: 'This is not a status that a team can be given' },
  'participation.division': { status: 400, title: 'The game has no such division' },
  'participation.required': { status: 400, title: 'You have not joined this game' },
  'participation.not-accepted': { status: 400, title: 'Your team has not been accepted yet' },
  'participation.suspended': { status: 400, title: 'You have been banned' },
  'notice.unknown': { status: 404, title: 'There is no such notice' },
  'notice.generated': { status: 400, title: 'Only notices written by people can be changed' },
  'scoreboard.empty': { status: 400, title: 'The scoreboard is still empty' },

  // Challenges
  'challenge.unknown': { status: 404, title: 'There is no such challenge' },
  'challenge.no-flag': { status: 400, title: 'The challenge needs a flag before it can be enabled' },
  'challenge.capture': { status: 400, title: 'Only traffic of challenges with instances can be recorded' },
  'challenge.attachment': { status: 400, title: 'A challenge with dynamic attachments has one file per flag' },
  'challenge.attachments-exhausted': {
    status: 404,
    title: 'All files of this challenge have been given out. Please tell an admin.',
  },
  'flag.template-weak': {
    status: 400,
    title: 'The flag template is too easy to guess: use [GUID], [TEAM_HASH], or a longer text',
  },
  'flag.template-long': { status: 400, title: 'The flag template makes flags of more than 127 characters' },
  'submission.unknown': { status: 404, title: 'There is no such submission' },
  'writeup.not-required': { status: 400, title: 'This game does not ask for writeups' },
  'writeup.deadline': { status: 400, title: 'Submission deadline has passed' },
  'writeup.format': { status: 400, title: 'A writeup is one PDF file under 20 MB' },

  // Instances
  'instance.type': { status: 400, title: 'This challenge has no instances' },
  'instance.not-configured': { status: 400, title: 'The challenge has no image or port' },
  'instance.running': { status: 400, title: 'The instance is already running' },
  'instance.none': { status: 400, title: 'No instance is running' },
  'instance.limit': { status: 400, title: 'Your team already runs as many instances as the game allows' },
  'instance.cooldown': { status: 429, title: 'Please wait a moment before you start or stop this instance again' },
  'instance.not-extendable': { status: 400, title: 'An instance can only be extended shortly before it stops' },
  'instance.failed': { status: 400, title: 'The instance could not be started' },
  'instance.stop-failed': { status: 400, title: 'The instance could not be stopped' },
  'instance.unknown': { status: 404, title: 'There is no such instance' },
  'proxy.off': { status: 400, title: 'The proxy is off: instances are reached directly' },
  'proxy.full': { status: 400, title: 'Too many connections to this instance' },
  'proxy.unreachable': { status: 418, title: 'The instance is not accepting connections' },

  // Captures, posts, administration
  'capture.unknown': { status: 404, title: 'There are no such recordings' },
  'post.unknown': { status: 404, title: 'There is no such post' },
  'user.unknown': { status: 404, title: 'There is no such user' },
  'user.self': { status: 400, title: 'You cannot delete yourself' },
  'user.captain': { status: 400, title: 'This user is the captain of a team. Transfer or delete the team first.' },
  'users.bulk': { status: 400, title: 'The users could not be added. Nothing was changed.' },
} as const satisfies Record<string, { status: number; title: string; wireStatus?: number }>

export type ProblemCode = keyof typeof problems

/**
 * Titles that say more than their problem's own: what is wrong with a field (`input.`), why an instance did not start
 * (`instance.` and the reason of its runtime). `{…}` is replaced.
 */
export const problemTexts = {
  'input.request': 'The request',
  'input.required': '{field} is missing',
  'input.empty': "{field} can't be empty",
  'input.short': '{field} needs at least {limit} characters',
  'input.long': '{field} can have at most {limit} characters',
  'input.many': '{field} can have at most {limit} entries',
  'input.small': '{field} is too small',
  'input.large': '{field} is too large',
  'input.choice': '{field} must be one of {choices}',
  'input.type': '{field} has the wrong type',
  'input.invalid': '{field} is not valid',
  'instance.Off': 'This platform is not set up to run instances',
  'instance.NotBundled': 'Only the bundled demo challenges run here',
  'instance.ImagePullFailed': 'The challenge image could not be downloaded. Please tell the organizers.',
  'instance.InvalidImage': 'The name of the challenge image is not valid. Please tell the organizers.',
  'instance.ImageRunsAsRoot': 'The challenge image runs as root, which is not allowed here. Please tell the organizers.',
  'instance.CrashLooping': 'The challenge keeps stopping right after it starts. Please tell the organizers.',
  'instance.Crashed': 'The challenge stopped on its own.',
  'instance.StartFailed': 'The challenge could not be started.',
  'instance.NotAnswering': 'The challenge is running but does not answer on its port.',
  'instance.ContainerFailed': 'The challenge could not be started. Please tell the organizers.',
  'instance.Unschedulable': 'The cluster has no room for the challenge right now. Please try again later.',
  'instance.QuotaExceeded': 'All places for instances are taken right now. Please try again later.',
  'instance.PodRefused': 'The cluster does not accept the challenge. Please tell the organizers.',
  'instance.FlagMissing': 'The flag of the challenge is missing. Please tell the organizers.',
  'instance.NameTaken': 'Something else in the cluster already has the name of this instance. Please tell the organizers.',
} as const

export type ProblemTextCode = keyof typeof problemTexts

export const isProblemTextCode = (code: string): code is ProblemTextCode => Object.hasOwn(problemTexts, code)

/** A text of `problemTexts` with what fills it. */
export interface ProblemText {
  readonly code: ProblemTextCode
  readonly values?: Readonly<Record<string, string | number>>
}

/** What an expected failure adds to its code. */
export interface ProblemDetails {
  /** Replaces the catalogue's title: for texts that name a field or a reason. Never a secret. */
  readonly text?: ProblemText
  /** Replaces the title as it stands, in no language but English: for reasons that only a runtime knows. Never a secret. */
  readonly title?: string
  /** JSON pointer of the faulty member, or a short machine-readable addition. */
  readonly detail?: string
  /** Seconds until another try makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number
}

/** An expected failure. Thrown anywhere, answered in one place (api: `plugins/problems.ts`). */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly details: ProblemDetails

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.title ?? problems[code].title)
    this.name = 'Problem'
    this.code = code
    this.details = details
  }

  get httpStatus(): number {
    return problems[this.code].status
  }

  /** `status` of the body: the HTTP status, or the number clients know (10001, 10002). */
  get wireStatus(): number {
    const entry: { status: number; wireStatus?: number } = problems[this.code]
    return entry.wireStatus ?? entry.status
  }
}
