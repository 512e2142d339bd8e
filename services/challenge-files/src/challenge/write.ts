import { defaultAttachmentName } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import { type ChallengeContainer, defaultContainerName, fieldsBesideOthers } from '@capstan/contract/containers'
import { InstanceLimits } from '@capstan/contract/limits'
import {
  type ChallengeFile,
  type ContainerRule,
  challengeApiVersion,
  type FlagFile,
  type FlagRule,
  type NamedContainerRule,
} from '../format/challenge.ts'
import { additionalPortsOf, toContainerFields } from '../format/container.ts'
import type { ChallengeOf, FlagOf } from './challenge.ts'
import { challengeTypeOf } from './read.ts'
import type { EachTeamRule } from './read-flags.ts'

export type FileParts = Readonly<{
  name: string
  description: ChallengeFile['description']
  /** Returns the name of the prerequisite with this id. */
  nameOf: (id: number) => string | undefined
  /**
   * Author's rule that generates a flag and a file for each team. The flags that this rule generated are not written to the file.
   */
  eachTeam?: EachTeamRule | undefined
  /** Containers of the author's previous file. Secrets in the new file refer to the environment variables of the previous file. */
  known?: readonly Pick<NamedContainerRule, 'name' | 'environment'>[]
}>

function environmentOf(fresh: NonNullable<ContainerRule['environment']>, known: ContainerRule['environment'] = {}) {
  return Object.fromEntries(
    Object.entries(fresh).map(([name, value]) => {
      const before = Object.hasOwn(known, name) ? known[name] : undefined
      return [name, typeof value === 'object' && typeof before === 'object' ? before : value]
    }),
  )
}

function entryOf({ port, reach, definition: { entryLabel } }: ChallengeContainer): ContainerRule['ports'] {
  if (port === null) return []
  return [
    {
      port,
      speaks: reach.speaks,
      ...(reach.isRaw && { raw: true }),
      ...(reach.hasOwnCertificate && { ownCertificate: true }),
      ...(reach.isGuarded && { guarded: true }),
      ...(entryLabel !== undefined && { label: entryLabel }),
    },
  ]
}

function containerRuleOf(container: ChallengeContainer, { known = [] }: FileParts): ContainerRule {
  const { definition } = container
  const { environment, ...fields } = toContainerFields(definition)
  const before = known.find(({ name }) => name === container.name)?.environment
  return {
    image: container.image,
    ports: [...entryOf(container), ...additionalPortsOf(definition)],
    ...fields,
    ...(environment && { environment: environmentOf(environment, before) }),
    cpu: container.cpuTenths / 10,
    memoryMb: container.memoryMb,
    storageMb: Math.max(container.storageMb, InstanceLimits.minStorageMb),
    ...(container.capture !== false && { capture: container.capture }),
  }
}

function namedRuleOf(container: ChallengeContainer, parts: FileParts): NamedContainerRule {
  const { ports, ...rule } = containerRuleOf(container, parts)
  const { name, networks, dependsOn, receivesFlag } = container
  return {
    name,
    ...rule,
    ...(ports.length > 0 && { ports }),
    ...(networks && { networks: networks.map((each) => (each.aliases.length === 0 ? each.name : each)) }),
    ...(dependsOn && { dependsOn: dependsOn.map((each) => (each.when === 'started' ? each.name : each)) }),
    ...(receivesFlag !== undefined && { receivesFlag }),
  }
}

/** True if the file of a challenge uses the short form `container`: the only container needs neither a name nor networks. */
export function hasSingleContainer([first, ...others]: readonly ChallengeContainer[]): boolean {
  return (
    others.length === 0 && first?.name === defaultContainerName && fieldsBesideOthers.every((field) => first[field] === undefined)
  )
}

function containerRulesOf(
  { containers }: ChallengeOf<FlagFile>,
  parts: FileParts,
): Pick<ChallengeFile, 'container' | 'containers'> {
  const [first] = containers
  return first && hasSingleContainer(containers)
    ? { container: containerRuleOf(first, parts) }
    : { containers: containers.map((each) => namedRuleOf(each, parts)) }
}

function flagRuleOf({ flag, kind, file, points }: FlagOf<FlagFile>): FlagRule {
  const worth = points !== undefined && { points }
  return kind === 'Pattern'
    ? { pattern: flag, ...worth }
    : { text: flag, ...(kind === 'Caseless' && { ignoreCase: true }), ...(file && { attachment: file }), ...worth }
}

function flagRulesOf({ type, flags, template }: ChallengeOf<FlagFile>, { eachTeam }: FileParts): FlagRule[] {
  if (type === 'DynamicContainer') return template === '' ? [] : [{ template }]
  return [...(eachTeam ? [eachTeam] : []), ...flags.map(flagRuleOf)]
}

function unlockRuleOf({ unlock }: ChallengeOf<FlagFile>, { nameOf }: FileParts): Pick<ChallengeFile, 'unlock'> {
  if (!unlock) return {}
  const after = unlock.after.flatMap((id) => nameOf(id) ?? [])
  const { count, points, locked } = unlock
  return {
    unlock: { ...(after.length > 0 && { after }), ...(count !== null && { count }), ...(points !== null && { points }), locked },
  }
}

/**
 * Converts a challenge into the content of its file. Commands for the author's machine come only from the author's own file, never
 * from the platform.
 */
export function toChallengeFile(challenge: ChallengeOf<FlagFile>, parts: FileParts): ChallengeFile {
  const { type, title, category, tags, difficulty, enabled, points, minimumShare, decay, hints } = challenge
  const { release, deadline, submissionLimit: limit, cooldownSeconds } = challenge
  const file: ChallengeFile = {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: parts.name,
    title,
    category,
    ...(tags.length > 0 && { tags }),
    ...(difficulty !== null && { difficulty }),
    enabled,
    description: parts.description,
    score: {
      points,
      minimumShare,
      difficulty: decay,
      ...(challenge.curve !== 'exponential' && { curve: challenge.curve }),
      ...(challenge.isValueFixed && { fixed: true }),
    },
    ...(release !== null && { release: new Date(release).toISOString() }),
    ...(deadline !== null && { deadline: new Date(deadline).toISOString() }),
    ...((limit > 0 || cooldownSeconds > 0) && {
      attempts: { ...(limit > 0 && { limit }), ...(cooldownSeconds > 0 && { cooldownSeconds }) },
    }),
    ...unlockRuleOf(challenge, parts),
    ...(!challenge.bloods && { bloods: false }),
    flags: flagRulesOf(challenge, parts),
    ...(hints.length > 0 && { hints: hints.map(({ text, price }) => (price > 0 ? { text, price } : text)) }),
    ...(challenge.attachment && { attachments: [challenge.attachment] }),
    ...(challenge.attachmentName !== defaultAttachmentName && { attachmentName: challenge.attachmentName }),
    ...(hasContainer(type) && containerRulesOf(challenge, parts)),
  }
  return challengeTypeOf(file) === type ? file : { ...file, type }
}
