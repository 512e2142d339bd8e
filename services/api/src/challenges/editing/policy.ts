import type { Challenge, ChallengeChange } from '@capstan/contract/challenge'
import { lacksFlag } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ChallengeUpdate } from '@capstan/contract/challenges'
import type { ContainerChoices, ContainerDefinition } from '@capstan/contract/container-definition'
import { findContainerListFaults } from '@capstan/contract/container-list-faults'
import type { ChallengeContainer } from '@capstan/contract/containers'
import type { AttachmentInput } from '@capstan/contract/files'
import { refuseFlagTemplate } from '@capstan/contract/flag-templates/check'
import { Limits } from '@capstan/contract/limits'
import { Problem, type ProblemCode } from '@capstan/contract/problems'
import { normalizedTagKey, normalizeTags } from '@capstan/contract/tags'
import { normalizeUnlockRule, type UnlockRule } from '@capstan/contract/unlock'
import { listStoredHints } from '../../rules/scoring/hints.ts'
import { findPrerequisiteCycle } from '../../rules/scoring/unlocking.ts'
import type { ChallengeRow } from './repository.ts'

type UpdateRefusal = Extract<ProblemCode, 'challenge.no-flag' | 'challenge.capture' | `flag.template-${string}`>

/** Returns the problem of an invalid edit. Rules: docs/contract/challenges.md#editing. @returns undefined if the edit is valid */
export function refuseInvalidChallengeUpdate(
  challenge: Pick<Challenge, 'type'> & { readonly flags: readonly unknown[] },
  update: ChallengeUpdate,
): UpdateRefusal | undefined {
  if (update.isEnabled && lacksFlag(challenge)) return 'challenge.no-flag'
  if (update.enableTrafficCapture && !hasContainer(challenge.type)) return 'challenge.capture'
  return challenge.type === 'DynamicContainer' ? refuseFlagTemplate(update.flagTemplate ?? '') : undefined
}

/**
 * Applies a change to a challenge. The same change may be applied to many challenges.
 * @throws Problem `challenge.no-flag`, or `request.invalid` if the challenge would have too many tags
 */
export function applyFieldChange<Changed extends Omit<Challenge, 'flags' | 'hints'> & { readonly flags: readonly unknown[] }>(
  challenge: Changed,
  { addTags = [], removeTags = [], ...fields }: ChallengeChange,
): Changed {
  if (fields.enabled && lacksFlag(challenge)) throw new Problem('challenge.no-flag')
  const removed = new Set(normalizeTags(removeTags).map(normalizedTagKey))
  const tags = normalizeTags([...challenge.tags.filter((tag) => !removed.has(normalizedTagKey(tag))), ...addTags])
  if (tags.length > Math.max(challenge.tags.length, Limits.maxChallengeTags))
    throw new Problem('request.invalid', { detail: `/addTags: a challenge has at most ${Limits.maxChallengeTags} tags` })
  return { ...challenge, ...fields, tags }
}

/**
 * Checks the containers of a challenge.
 * @param stored the containers in the database, each with the names of the secrets that have a value
 * @param base JSON pointer to the part that the call writes. The pointers in the problem are relative to this part.
 * @throws Problem `request.invalid` with all contradictions and exceeded limits
 */
export function assertValidContainers(
  containers: readonly ChallengeContainer[],
  stored: readonly ChallengeContainer[],
  choices: ContainerChoices,
  base = '',
): void {
  const known = new Map(stored.map(({ name, definition }) => [name, new Set(definition.secrets?.map((secret) => secret.name))]))
  const missing = containers.flatMap(({ name: container, definition: { secrets = [] } }, index) =>
    secrets.flatMap(({ name, value }, place) =>
      value == null && !known.get(container)?.has(name)
        ? [{ at: `/${index}/definition/secrets/${place}/value`, fault: 'missing' }]
        : [],
    ),
  )
  const faults = [...findContainerListFaults(containers, choices), ...missing]
  if (faults.length > 0)
    throw new Problem('request.invalid', {
      detail: faults.map(({ at, fault }) => `${at.startsWith(base) ? at.slice(base.length) : at}: ${fault}`).join(', '),
    })
}

/** Returns the values of secret variables. If a secret is given without a value, its stored value is retained. */
export function mergeSecretValues(
  known: Readonly<Record<string, string>>,
  secrets: ContainerDefinition['secrets'] = [],
): Record<string, string> {
  return Object.fromEntries(
    secrets.flatMap(({ name, value }) => {
      const after = value ?? (Object.hasOwn(known, name) ? known[name] : undefined)
      return after === undefined ? [] : [[name, after]]
    }),
  )
}

type RuledRow = Pick<ChallengeRow, 'id' | 'title' | 'unlockRule'>

/** Returns the problem of the unlock rules of a game. @returns undefined if the rules are valid */
export function refuseInvalidUnlockRules(rows: readonly RuledRow[]): Problem | undefined {
  const known = new Set(rows.map(({ id }) => id))
  const ruled = rows.map(({ id, title, unlockRule }) => ({ id, title, after: unlockRule?.after ?? [] }))
  const unknown = ruled.find(({ after }) => after.some((id) => !known.has(id)))
  if (unknown)
    return new Problem('challenge.prerequisite', { detail: `A prerequisite of "${unknown.title}" is not in this game.` })
  const [first, ...others] = findPrerequisiteCycle(ruled) ?? []
  if (!first) return undefined
  const detail = `"${first.title}" opens after ${others.map(({ title }) => `"${title}"`).join(', which opens after ')}.`
  return new Problem('challenge.unlock-cycle', { detail })
}

/** Returns an unlock rule without the prerequisite that was deleted. */
export function removePrerequisite(rule: UnlockRule, id: number): UnlockRule | null {
  return normalizeUnlockRule({ ...rule, after: rule.after.filter((each) => each !== id) })
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return new Set(left).symmetricDifference(new Set(right)).size === 0
}

type ShownState = Pick<ChallengeRow, 'isShown' | 'unlockRule' | 'hints' | 'pricedHints'>

/** Returns one text for each hint, with the price and the text of the hint. */
function hintsOf(row: ShownState): string[] {
  return listStoredHints(row).map(({ text, price }) => `${price} ${text}`)
}

/**
 * Returns the notices that players get after an edit. In a running game, players are notified of an enabled challenge
 * and of changed hints. A challenge that is hidden until a team unlocks it causes no notices.
 */
export function listNoticesCausedByEdit(
  before: ShownState,
  after: ShownState,
  isRunning: boolean,
): ('NewChallenge' | 'NewHint')[] {
  if (!isRunning || !after.isShown || after.unlockRule?.locked === 'Hidden') return []
  if (!before.isShown) return ['NewChallenge']
  return isSameSet(hintsOf(before), hintsOf(after)) ? [] : ['NewHint']
}

export type AttachmentSource = Readonly<{ type: 'Local'; fileHash: string }> | Readonly<{ type: 'Remote'; remoteUrl: string }>

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/**
 * Returns the source of an attachment.
 * @returns undefined for type None, or `request.parameter` if the hash or the address is missing or malformed
 */
export function attachmentSourceOf(
  input: AttachmentInput,
): AttachmentSource | undefined | Extract<ProblemCode, 'request.parameter'> {
  const { attachmentType = 'None' } = input
  if (attachmentType === 'None') return undefined
  if (attachmentType === 'Remote') {
    const remoteUrl = input.remoteUrl?.trim() ?? ''
    return isWebAddress(remoteUrl) ? { type: 'Remote', remoteUrl } : 'request.parameter'
  }
  const fileHash = input.fileHash?.trim().toLowerCase() ?? ''
  return /^[0-9a-f]{64}$/.test(fileHash) ? { type: 'Local', fileHash } : 'request.parameter'
}
