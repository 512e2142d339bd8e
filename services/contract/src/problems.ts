import { enUS } from './server-texts/en-US.ts'

/**
 * All expected failures, by problem code. Any other failure is a defect. `server-texts` contains a title for each code.
 * `wireStatus` is the `status` in the body if clients expect a number other than the HTTP status.
 */
export const problems = {
  // Requests
  'request.invalid': { status: 400 },
  'request.parameter': { status: 400 },
  'request.content-type': { status: 415 },
  'request.too-large': { status: 413 },
  'request.too-slow': { status: 408 },
  'request.origin': { status: 403 },
  'request.rate-limited': { status: 429 },
  'route.not-found': { status: 404 },
  'route.method': { status: 405 },
  'server.unexpected': { status: 500 },
  'server.unavailable': { status: 503 },

  // Sessions and roles
  'session.required': { status: 401 },
  'session.banned': { status: 403 },
  'session.unknown': { status: 404 },
  'role.insufficient': { status: 403 },

  // API tokens
  'token.invalid': { status: 401 },
  'token.expired': { status: 401 },
  'token.revoked': { status: 401 },
  'token.creator': { status: 401 },
  'token.with-session': { status: 400 },
  'token.scope': { status: 403 },
  'token.game': { status: 403 },
  'token.unknown': { status: 404 },
  'token.too-many': { status: 400 },
  'token.platform-game': { status: 400 },

  // Accounts
  'login.failed': { status: 401 },
  'login.banned': { status: 401 },
  'login.provider-required': { status: 401 },
  'login.second-factor': { status: 401 },
  'second-factor.expired': { status: 400 },
  'second-factor.wrong': { status: 400 },
  'second-factor.too-many': { status: 429 },
  'second-factor.none': { status: 400 },
  'second-factor.exists': { status: 400 },
  'second-factor.no-password': { status: 400 },
  'second-factor.required': { status: 403 },
  'second-factor.own-first': { status: 400 },
  'second-factor.confirm': { status: 403 },
  'passkey.no-origin': { status: 400 },
  'passkey.refused': { status: 400 },
  'passkey.exists': { status: 400 },
  'passkey.too-many': { status: 400 },
  'passkey.unknown': { status: 404 },
  'sign-in.unknown': { status: 404 },
  'sign-in.expired': { status: 400 },
  'sign-in.failed': { status: 400 },
  'sign-in.unreachable': { status: 400 },
  'sign-in.no-address': { status: 400 },
  'sign-in.address-taken': { status: 400 },
  'sign-in.link-offered': { status: 400 },
  'sign-in.linked-elsewhere': { status: 400 },
  'sign-in.already-linked': { status: 400 },
  'sign-in.last-method': { status: 400 },
  'sign-in.no-password': { status: 400 },
  'sign-in.no-origin': { status: 400 },
  'sign-in.key-taken': { status: 400 },
  'sign-in.too-many': { status: 400 },
  'sign-in.no-provider': { status: 400 },
  'sign-in.team-taken': { status: 400 },
  'sign-in.issuer-fixed': { status: 400 },
  'captcha.failed': { status: 400 },
  'captcha.no-proof-of-work': { status: 404 },
  'register.closed': { status: 400 },
  'email.domain': { status: 400 },
  'email.taken': { status: 400 },
  'email.not-sent': { status: 400 },
  'email.no-server': { status: 400 },
  'email.refused': { status: 400 },
  'email.no-origin': { status: 400 },
  'email.unsubscribe': { status: 400 },
  'email.token': { status: 401 },
  'username.taken': { status: 400 },
  'username.address': { status: 400 },
  'name.unreadable': { status: 400 },
  'password.weak': { status: 400 },
  'password.hash': { status: 400 },
  'password.wrong': { status: 400 },
  'account.unknown': { status: 404 },
  'account.already-active': { status: 400 },
  'account.verify-failed': { status: 400 },
  'account.token': { status: 401 },
  'reset.token': { status: 400 },
  'reset.by-admin': { status: 400 },

  // Files
  'file.missing': { status: 400 },
  'file.too-large': { status: 400 },
  'file.unreadable': { status: 400 },
  'file.unknown': { status: 404 },

  // Teams
  'team.unknown': { status: 404 },
  'team.name-required': { status: 400 },
  'team.name-taken': { status: 400 },
  'team.already-captain': { status: 400 },
  'team.not-captain': { status: 403 },
  'team.not-member': { status: 400 },
  'team.already-member': { status: 400 },
  'team.member-unknown': { status: 400 },
  'team.captain-stays': { status: 400 },
  'team.captain-of-too-many': { status: 400 },
  'team.full': { status: 400 },
  'team.too-many': { status: 400 },
  'team.invite': { status: 400 },
  'team.locked': { status: 400 },
  'team.of-provider': { status: 400 },
  'team.not-of-provider': { status: 400 },
  'team.token-form': { status: 400 },
  'team.token-signature': { status: 401 },

  // Games
  'game.unknown': { status: 404 },
  'game.not-started': { status: 400, wireStatus: 10001 },
  /** Refusal to show the scoreboard, the notices or the monitoring pages before the start of the game. */
  'game.before-start': { status: 400 },
  'game.ended': { status: 400, wireStatus: 10002 },
  'game.not-over': { status: 400 },
  'game.frozen': { status: 400 },
  'game.not-frozen': { status: 400 },
  'game.freeze': { status: 400 },
  'game.times': { status: 400 },
  'game.registration': { status: 400 },
  'game.questions': { status: 400 },
  'question.answered': { status: 400 },
  'game.divisions': { status: 400 },
  'game.division-code': { status: 400 },
  'division.unknown': { status: 404 },
  'division.challenge': { status: 400 },
  'division.submit': { status: 400 },
  'game.delete-failed': { status: 400 },
  'join.not-open': { status: 400 },
  'join.closed': { status: 400 },
  'join.code': { status: 400 },
  'join.division': { status: 400 },
  'join.division-fixed': { status: 400 },
  'join.provider-division': { status: 400 },
  'join.already': { status: 400 },
  'join.team-full': { status: 400 },
  'join.team-answers': { status: 400 },
  'join.captain-answers': { status: 400 },
  'question.unknown': { status: 404 },
  'answer.required': { status: 400 },
  'answer.invalid': { status: 400 },
  'answer.captain': { status: 403 },
  'answer.closed': { status: 400 },
  'answer.file': { status: 400 },
  'leave.not-joined': { status: 400 },
  'leave.too-late': { status: 400 },
  'participation.unknown': { status: 404 },
  'participation.status': { status: 400 },
  'participation.division': { status: 400 },
  'participation.required': { status: 400 },
  'participation.not-accepted': { status: 400 },
  'participation.suspended': { status: 400 },
  'ticket.unknown': { status: 404 },
  'ticket.other-team': { status: 400 },
  'ticket.itself': { status: 400 },
  'ticket.assignee': { status: 400 },
  'ticket.too-many-open': { status: 400 },
  'ticket.too-many': { status: 400 },
  'ticket.full': { status: 400 },
  'ticket.too-fast': { status: 429 },
  'canned-answer.unknown': { status: 404 },
  'canned-answer.too-many': { status: 400 },
  'notice.unknown': { status: 404 },
  'notice.generated': { status: 400 },
  'scoreboard.empty': { status: 400 },
  'certificate.off': { status: 400 },
  'certificate.frozen': { status: 400 },
  'certificate.placeholder': { status: 400 },
  'survey.off': { status: 400 },
  'survey.answered': { status: 400 },
  'survey.changed': { status: 409 },
  'award.zero': { status: 400 },
  'award.unknown': { status: 404 },
  'award.revoked': { status: 400 },
  'correction.unknown': { status: 404 },
  'correction.revoked': { status: 400 },
  'correction.solved': { status: 400 },
  'correction.unsolved': { status: 400 },
  'correction.time': { status: 400 },

  // Challenges
  'challenge.unknown': { status: 404 },
  'challenge.closed': { status: 400 },
  'challenge.locked': { status: 403 },
  'challenge.prerequisite': { status: 400 },
  'challenge.unlock-cycle': { status: 400 },
  'challenge.no-flag': { status: 400 },
  'challenge.capture': { status: 400 },
  'challenge.attachment': { status: 400 },
  'import.archive': { status: 400 },
  'import.package': { status: 400 },
  'import.changed': { status: 400 },
  'import.interrupted': { status: 409 },
  'challenge.changed': { status: 409 },
  'challenge.guard': { status: 400 },
  'challenge.times': { status: 400 },
  'challenge.attachments-exhausted': { status: 404 },
  'flag.template-weak': { status: 400 },
  'flag.template-long': { status: 400 },
  'flag.pattern': { status: 400 },
  'flag.rules': { status: 400 },
  'flag.rules-many': { status: 400 },
  'rejudge.none': { status: 404 },
  'rejudge.outdated': { status: 400 },
  'submission.unknown': { status: 404 },
  'submission.limit': { status: 400 },
  'submission.cooldown': { status: 429 },
  'hint.unknown': { status: 404 },
  'hint.price': { status: 409 },
  'hint.points': { status: 400 },
  'writeup.not-required': { status: 400 },
  'writeup.deadline': { status: 400 },
  'writeup.format': { status: 400 },

  // Instances
  'instance.type': { status: 400 },
  'instance.not-configured': { status: 400 },
  'instance.running': { status: 400 },
  'instance.none': { status: 400 },
  'instance.limit': { status: 400 },
  'instance.cooldown': { status: 429 },
  'instance.not-extendable': { status: 400 },
  'instance.failed': { status: 400 },
  'instance.stop-failed': { status: 400 },
  'instance.unknown': { status: 404 },
  'instance.events-unavailable': { status: 400 },
  'instance.log-unavailable': { status: 400 },
  'instance.terminal-unavailable': { status: 400 },
  'proxy.off': { status: 400 },
  'proxy.full': { status: 400 },
  'proxy.unreachable': { status: 418 },

  // Captures, posts, administration
  'capture.unknown': { status: 404 },
  'webhook.unknown': { status: 404 },
  'webhook.template': { status: 400 },
  'webhook.address': { status: 400 },
  'webhook.authorization': { status: 400 },
  'webhook.kinds': { status: 400 },
  'webhook.too-many': { status: 400 },
  'delivery.unknown': { status: 404 },
  'delivery.pending': { status: 400 },
  'post.unknown': { status: 404 },
  'user.unknown': { status: 404 },
  'user.self': { status: 400 },
  'user.captain': { status: 400 },
  'users.bulk': { status: 400 },
} as const satisfies Record<string, { status: number; wireStatus?: number }>

export type ProblemCode = keyof typeof problems

export type ProblemTextCode = keyof typeof enUS.texts

export function isProblemTextCode(code: string): code is ProblemTextCode {
  return Object.hasOwn(enUS.texts, code)
}

/** Code of a text in `server-texts`, with the values for its placeholders. */
export type ProblemText = Readonly<{
  code: ProblemTextCode
  values?: Readonly<Record<string, string | number>>
}>

export type ProblemDetails = Readonly<{
  /** Text that the response shows as the problem's title. The text must not contain a secret. */
  text?: ProblemText
  /** Problem title in English, for a failure that the instance runtime reports. The title must not contain a secret. */
  title?: string
  /** JSON pointer to the faulty member of the request, or other short information for programs. */
  detail?: string
  /** Value of the header `Retry-After`: seconds after which a retry may succeed. */
  retryAfterSeconds?: number
}>

/**
 * Expected failure. Every part of the code may throw a problem. Only `plugins/problems.ts` of the api turns a problem into a
 * response.
 */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly details: ProblemDetails

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.title ?? enUS.problems[code])
    this.name = 'Problem'
    this.code = code
    this.details = details
  }

  get httpStatus(): number {
    return problems[this.code].status
  }

  /** Value of `status` in the body: the HTTP status, or 10001 or 10002, which clients expect. */
  get wireStatus(): number {
    const entry: { status: number; wireStatus?: number } = problems[this.code]
    return entry.wireStatus ?? entry.status
  }
}
