import { entryContainerOf, lacksFlag } from '@capstan/contract/challenge-parts'
import { hasSharedFlags } from '@capstan/contract/challenge-types'
import { refuseFlagTemplate } from '@capstan/contract/flag-templates/check'
import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'
import { canInstanceBeGuarded } from '@capstan/contract/reach'
import { refuseFlagPattern } from '../flag-pattern.ts'
import type { ChallengeOf, FlagOf } from './challenge.ts'

/** Rule of the platform that a challenge violates. */
export type ChallengeFault = Readonly<{
  code: Extract<
    ProblemCode,
    | 'request.invalid'
    | 'challenge.guard'
    | 'challenge.no-flag'
    | 'flag.pattern'
    | `flag.rules${string}`
    | `flag.template-${string}`
  >
  /** JSON pointer to the value in the challenge. */
  at: string
  /** Reason why the value is invalid. */
  why: string
}>

/** Flags that are patterns or ignore case count as rules. An absent kind means an exact flag. */
function isRule({ kind = 'Exact' }: Pick<FlagOf<unknown>, 'kind'>): boolean {
  return kind !== 'Exact'
}

/** Returns the fault of a single flag, which is already trimmed. @returns undefined if the flag is valid */
export function findFlagFault({ flag, kind }: Pick<FlagOf<unknown>, 'flag' | 'kind'>, at = ''): ChallengeFault | undefined {
  if (kind === 'Pattern') {
    const refusal = refuseFlagPattern(flag)
    return refusal === undefined ? undefined : { code: 'flag.pattern', at, why: refusal }
  }
  return flag.trim() === '' || [...flag].length > Limits.maxFlagLength
    ? { code: 'request.invalid', at, why: `A flag has 1 to ${Limits.maxFlagLength} characters.` }
    : undefined
}

/** Returns the flags without the rules that exceed the maximum number of rules. */
export function limitFlagRules<Flag extends Pick<FlagOf<unknown>, 'kind'>>(flags: readonly Flag[]): Flag[] {
  const excess = new Set(flags.filter(isRule).slice(Limits.maxFlagRules))
  return flags.filter((flag) => !excess.has(flag))
}

type Ruled = Pick<ChallengeOf<unknown>, 'type'> & { readonly flags: readonly Pick<FlagOf<unknown>, 'kind'>[] }

/** Returns the faults of patterns and of flags that ignore case. */
export function findFlagRuleFaults({ type, flags }: Ruled): ChallengeFault[] {
  if (!flags.some(isRule)) return []
  if (!hasSharedFlags(type)) return [{ code: 'flag.rules', at: '/flags', why: 'Flags of a single team are compared exactly.' }]
  return limitFlagRules(flags).length < flags.length
    ? [
        {
          code: 'flag.rules-many',
          at: '/flags',
          why: `No more than ${Limits.maxFlagRules} flags can be patterns or case-insensitive.`,
        },
      ]
    : []
}

/**
 * Returns the rules that a normalized challenge violates. The rules of containers are in `findContainerListFaults`. The readers
 * of files drop a value with a fault if the challenge is valid without the value. Otherwise, the fault refuses the challenge.
 */
export function findChallengeFaults(challenge: ChallengeOf<unknown>): ChallengeFault[] {
  const { flags, template, title, attachmentName } = challenge
  const { reach } = entryContainerOf(challenge)
  const refusal = refuseFlagTemplate(template)
  return [
    ...(title === '' ? [{ code: 'request.invalid', at: '/title', why: 'The title is blank.' } as const] : []),
    ...(attachmentName === ''
      ? [{ code: 'request.invalid', at: '/attachmentName', why: 'The name of the attachment is blank.' } as const]
      : []),
    ...(reach.isGuarded === true && !canInstanceBeGuarded(reach)
      ? [{ code: 'challenge.guard', at: '/containers/0/reach', why: 'Only HTTP that is not raw can be guarded.' } as const]
      : []),
    ...flags.flatMap((flag, index) => findFlagFault(flag, `/flags/${index}/flag`) ?? []),
    ...findFlagRuleFaults(challenge),
    ...(challenge.enabled && lacksFlag(challenge)
      ? [{ code: 'challenge.no-flag', at: '/flags', why: 'An enabled challenge needs a flag.' } as const]
      : []),
    ...(refusal === undefined
      ? []
      : [{ code: refusal, at: '/template', why: 'The flag template is too easy to guess, or its flags are too long.' }]),
  ]
}
