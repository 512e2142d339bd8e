/** Server texts in English. All languages have this shape, and `{…}` is replaced by a value. */
export const enUS = {
  /** Titles of problems. */
  problems: {
    // The request itself
    'request.invalid': 'Please check your input',
    'request.parameter': 'Incorrect parameter, please check',
    'request.content-type': 'This content type is not supported here',
    'request.too-large': 'The request is too large',
    'request.too-slow': 'The upload is too slow. Please try again.',
    'request.origin': 'This request came from another site and was refused',
    'request.rate-limited': 'Too many requests',
    'route.not-found': 'There is nothing at this address',
    'route.method': 'This method is not available here',
    'server.unexpected': 'Unknown error',
    'server.unavailable': 'Please try again later',

    // Session and roles
    'session.required': 'Please log in first',
    'session.banned': 'User has been banned',
    'role.insufficient': 'You are not allowed to do this',

    // API tokens
    'token.invalid': 'This API token is not valid',
    'token.expired': 'This API token has expired',
    'token.revoked': 'This API token was revoked',
    'token.creator': 'The creator of this API token may no longer use it',
    'token.with-session': 'Send either a session or an API token, not both',
    'token.scope': 'This API token does not allow this call',
    'token.game': 'This API token is for another game',
    'token.unknown': 'There is no such API token',
    'token.too-many': 'There are too many API tokens. Please remove some.',
    'token.platform-game': 'An API token that can change the platform cannot be limited to one game',

    // Accounts
    'login.failed': 'Wrong username or password',
    'login.banned': 'User has been banned',
    'captcha.failed': 'The captcha failed. Please try again.',
    'register.closed': 'Registration is closed',
    'email.domain': 'This email domain is not allowed',
    'email.taken': 'This email address is already in use',
    'email.not-sent': 'The email could not be sent',
    'email.no-server': 'No mail server is configured',
    'email.refused': 'The mail server did not accept the email',
    'email.token': 'Failed to verify email',
    'username.taken': 'This username is taken or too similar to another one',
    'username.address': 'A username cannot be an email address',
    'name.unreadable': 'The name contains line breaks or invisible characters',
    'password.weak': 'The password needs at least 6 characters, with a digit, a lowercase letter, and an uppercase letter',
    'password.hash': 'This is a password hash. Enter a new password, or import the CTFd export as a game.',
    'password.wrong': 'The current password is wrong',
    'account.unknown': 'There is no such account',
    'account.already-active': 'This account is already active',
    'account.verify-failed': 'Failed to verify the account',
    'account.token': "Ouch! There's something wrong with your activation link",
    'reset.token': 'The reset link is wrong or has expired. Please ask for a new one.',
    'reset.by-admin': 'Please ask an admin to reset your password',

    // Files
    'file.missing': 'Please select a file',
    'file.too-large': 'Please check file format and size',
    'file.unreadable': 'Failed to load file',
    'file.unknown': 'There is no such file',

    // Teams
    'team.unknown': 'There is no such team',
    'team.name-required': 'The team needs a name',
    'team.name-taken': 'A team with this name, or one that looks like it, already exists',
    'team.already-captain': 'You are already the captain of a team',
    'team.not-captain': 'Only the captain can do this',
    'team.not-member': 'You are not a member of this team',
    'team.already-member': 'You are already a member of this team',
    'team.member-unknown': 'This user is not a member of the team',
    'team.captain-stays': 'The captain cannot leave or be removed. Transfer the team first.',
    'team.captain-of-too-many': 'This user is already the captain of too many teams',
    'team.invite': 'Incorrect team invitation code',
    'team.locked': 'The team is locked while it takes part in a game',
    'team.token-form': 'The team token or public key is malformed',
    'team.token-signature': 'The signature of the team token is wrong',

    // Games
    'game.unknown': 'There is no such game',
    'game.not-started': 'Game not yet started',
    'game.before-start': 'Game not yet started',
    'game.ended': 'The game has ended',
    'game.times': 'The game must end after it starts',
    'game.divisions': 'Division names must be different from each other, not empty, and not "all"',
    'game.division-code': 'A division code needs 6 to 32 characters',
    'game.delete-failed': 'The game could not be deleted. Nothing was changed.',
    'join.code': 'The invitation code is wrong',
    'join.division': 'Please select the division',
    'join.division-fixed': 'The team is already in another division',
    'join.already': 'You have already joined this game',
    'join.team-full': 'The team has no free spot in this game',
    'leave.not-joined': 'You have not joined this game',
    'leave.too-late': 'You can only leave while your request is pending or rejected',
    'participation.unknown': 'This team isn’t in the game',
    'participation.status': 'This status change is not possible',
    'participation.division': 'The game has no such division',
    'participation.required': 'You have not joined this game',
    'participation.not-accepted': 'Your team has not been accepted yet',
    'participation.suspended': 'You have been banned',
    'notice.unknown': 'There is no such notice',
    'notice.generated': 'Only notices written by people can be changed',
    'scoreboard.empty': 'The scoreboard is still empty',

    // Challenges
    'challenge.unknown': 'There is no such challenge',
    'challenge.no-flag': 'The challenge needs a flag before it can be enabled',
    'challenge.capture': 'Only traffic of challenges with instances can be recorded',
    'challenge.attachment': 'A challenge with dynamic attachments has one file per flag',
    'challenge.changed': 'The challenge has changed in the meantime. Load it again, then repeat your changes.',
    'challenge.guard':
      'A key can only protect HTTP that the platform reads, not TCP, raw HTTP, or a challenge with its own certificate',
    'challenge.attachments-exhausted': 'All files of this challenge have been given out. Please tell an admin.',
    'import.archive': 'The archive cannot be imported',
    'import.package': 'This isn’t a game package',
    'import.changed': 'The file has changed. Please review it again.',
    'import.interrupted': 'Files of the archive were removed while it was read. Nothing was imported. Please upload it again.',
    'flag.template-weak': 'The flag template is too easy to guess: use [GUID], [TEAM_HASH], or a longer text',
    'flag.template-long': 'The flag template produces flags longer than 127 characters',
    'flag.pattern': 'The pattern is not a valid RE2 regular expression, or it is too large',
    'flag.rules': 'Pattern flags and case-insensitive flags only work if all teams have the same flags',
    'flag.rules-many': 'A challenge can have at most 20 pattern flags and case-insensitive flags',
    'rejudge.none': 'There is no rejudge to undo',
    'rejudge.outdated': 'The end of the game or a judgment has since changed. Rejudge again instead.',
    'submission.unknown': 'There is no such submission',
    'writeup.not-required': 'This game does not ask for writeups',
    'writeup.deadline': 'Submission deadline has passed',
    'writeup.format': 'A writeup is one PDF file under 20 MB',

    // Instances
    'instance.type': 'This challenge has no instances',
    'instance.not-configured': 'The challenge has no image or no port',
    'instance.running': 'The instance is already running',
    'instance.none': 'No instance is running',
    'instance.limit': 'Your team already runs as many instances as the game allows',
    'instance.cooldown': 'Please wait a moment before you start or stop this instance again',
    'instance.not-extendable': 'An instance can only be extended shortly before it stops',
    'instance.failed': 'The instance could not be started. Please try again.',
    'instance.stop-failed': 'The instance could not be stopped. Please try again.',
    'instance.unknown': 'There is no such instance',
    'proxy.off': 'The proxy is off: instances are reached directly',
    'proxy.full': 'Too many connections to this instance',
    'proxy.unreachable': 'The instance is not accepting connections',

    // Captures, posts, administration
    'capture.unknown': 'There are no such recordings',
    'post.unknown': 'There is no such post',
    'user.unknown': 'There is no such user',
    'user.self': 'You cannot delete yourself',
    'user.captain': 'This user is the captain of a team. Transfer or delete the team first.',
    'users.bulk': 'The users could not be added. Nothing was changed.',
  },
  /**
   * Titles that are more specific than those of their problem: the fault of a field (`input.`), or the reason why an instance did
   * not start (`instance.` and the reason of its runtime).
   */
  texts: {
    'input.request': 'The request',
    'input.required': '{field} is missing',
    'input.empty': "{field} can't be empty",
    'input.short': '{field}: at least {limit} characters',
    'input.long': '{field}: at most {limit} characters',
    'input.many': '{field}: at most {limit} entries',
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
    'instance.Crashed': 'The challenge stopped unexpectedly.',
    'instance.StartFailed': 'The challenge could not be started.',
    'instance.NotAnswering': 'The challenge is running but does not answer on its port.',
    'instance.ContainerFailed': 'The challenge could not be started. Please tell the organizers.',
    'instance.Unschedulable': 'The cluster has no room for the challenge right now. Please try again later.',
    'instance.QuotaExceeded': 'All slots for instances are taken right now. Please try again later.',
    'instance.PodRefused': 'The cluster refused the challenge. Please tell the organizers.',
    'instance.FlagMissing': 'The flag of the challenge is missing. Please tell the organizers.',
    'instance.NameTaken': 'Another object in the cluster already has the name of this instance. Please tell the organizers.',
  },
  /** Texts of successful calls. */
  messages: {
    'register.logged-in': 'Your account is active, and you are logged in',
    'register.admin-confirmation': 'An admin needs to confirm your account',
    'register.email-confirmation': 'Please open the link in the email we sent you',
    'recovery.sent': 'Please open the link in the email we sent you',
    'email-change.sent': 'Please open the link in the email we sent to your new address',
    'email-change.by-admin': 'Please ask an admin to change your email address',
  },
  /** Emails. `{hours}` is replaced by a number. */
  mails: {
    activation: {
      title: 'Activate your account',
      paragraph: 'Welcome! Confirm your email address to activate your account. The link works once, for {hours} hours.',
      button: 'Activate account',
    },
    reset: {
      title: 'Reset your password',
      paragraph: 'We received a request to reset the password for your account. The link works once, for {hours} hours.',
      button: 'Choose a new password',
    },
    'address-change': {
      title: 'Confirm your new email address',
      paragraph: 'Once you confirm it, your account will use this email address. The link works once, for {hours} hours.',
      button: 'Confirm address',
    },
    test: {
      title: 'Test email',
      paragraph: 'This email was sent from the settings page. The platform can send email, and the mail server accepts it.',
    },
    name: 'Name',
    address: 'Email',
    time: 'Time',
    ignore: 'If this was not you, ignore this email. Nothing will change.',
  },
  /** Pages at an instance's address if the instance itself cannot answer. */
  pages: {
    starting: {
      title: 'Almost there',
      text: 'The instance is starting. This page refreshes automatically.',
    },
    ended: {
      title: 'This instance has ended',
      text: 'Start it again on the challenge’s page to get a new address.',
    },
    unknown: {
      title: 'There is no such instance',
      text: 'Check the address, or copy it again from the challenge’s page.',
    },
    unanswered: {
      title: 'The instance did not answer',
      text: 'It may be busy or restarting. Please try again.',
    },
    crowded: {
      title: 'Too many connections',
      text: 'Please try again in a moment.',
    },
    unavailable: {
      title: 'Please try again later',
      text: 'The platform is not available right now.',
    },
    malformed: {
      title: 'This request cannot be forwarded',
      text: 'It is malformed or ambiguous.',
    },
    elsewhere: {
      title: 'Wrong connection',
      text: 'This connection was opened for another host.',
    },
    bytes: {
      title: 'Nothing here',
      text: 'Connect to this instance through its TLS address or its port. Both are shown on the challenge’s page.',
    },
    guarded: {
      title: 'This instance is private',
      text: 'Open it from the challenge’s page, or enter its key, which is shown there too.',
    },
  },
  /** Form on the page of a guarded instance. */
  opening: { key: 'Key', open: 'Open' },
  /** Names of sheets and of their columns. */
  sheets: {
    scoreboard: 'Scoreboard',
    rank: 'Rank',
    team: 'Team',
    division: 'Division',
    captain: 'Captain',
    members: 'Members',
    studentNumbers: 'Student numbers',
    phones: 'Phone numbers',
    solved: 'Solved',
    lastSolve: 'Last solve',
    score: 'Score',
    submissions: 'Submissions',
    status: 'Status',
    time: 'Time',
    user: 'User',
    challenge: 'Challenge',
    answer: 'Flag',
    email: 'Email',
  },
} as const

/** Shape of the English texts with any string. */
type SameShape<Texts> = Texts extends string ? string : { readonly [Key in keyof Texts]: SameShape<Texts[Key]> }

/** Server texts of one language: titles of failures, answers of calls, emails, sheets. */
export type ServerTexts = SameShape<typeof enUS>
