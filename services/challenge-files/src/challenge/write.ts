import { containerOf, defaultAttachmentName } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import { InstanceLimits } from '@capstan/contract/limits'
import { type ChallengeFile, type ContainerRule, challengeApiVersion, type FlagFile, type FlagRule } from '../format/challenge.ts'
import { furtherPortsOf, toContainerFields } from '../format/container.ts'
import type { ChallengeOf, FlagOf } from './challenge.ts'
import { type EachTeamRule, typeOf } from './read.ts'

export type FileParts = Readonly<{
  name: string
  description: ChallengeFile['description']
  /** Returns the names of prerequisites by their ids. */
  nameOf: (id: number) => string | undefined
  /** Rule of the author that generates flags and files. Flags from it are not written. */
  eachTeam?: EachTeamRule | undefined
  /** Variables from which the author's file reads secrets. By default the variable has the name of the secret. */
  secrets?: ContainerRule['environment']
}>

function environmentOf(fresh: NonNullable<ContainerRule['environment']>, known: ContainerRule['environment'] = {}) {
  return Object.fromEntries(
    Object.entries(fresh).map(([name, value]) => {
      const before = Object.hasOwn(known, name) ? known[name] : undefined
      return [name, typeof value === 'object' && typeof before === 'object' ? before : value]
    }),
  )
}

function containerRuleOf(challenge: ChallengeOf<FlagFile>, { secrets }: FileParts): ContainerRule {
  const container = containerOf(challenge)
  const { port, reach, definition } = container
  const { environment, ...fields } = toContainerFields(definition)
  return {
    image: container.image,
    ports: [
      {
        port,
        speaks: reach.speaks,
        ...(reach.isRaw && { raw: true }),
        ...(reach.hasOwnCertificate && { ownCertificate: true }),
        ...(reach.isGuarded && { guarded: true }),
      },
      ...furtherPortsOf(definition),
    ],
    ...fields,
    ...(environment && { environment: environmentOf(environment, secrets) }),
    cpu: container.cpuTenths / 10,
    memoryMb: container.memoryMb,
    storageMb: Math.max(container.storageMb, InstanceLimits.minStorageMb),
    ...(container.capture && { capture: true }),
  }
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

/** Converts a challenge into the content of its file. The content never contains a command from the platform. */
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
    ...(hasContainer(type) && { container: containerRuleOf(challenge, parts) }),
  }
  return typeOf(file) === type ? file : { ...file, type }
}
