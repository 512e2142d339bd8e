import type { AttachmentRule, ChallengeFile, FlagRule } from '@capstan/challenge-files/format/challenge'
import { type ContainerFields, fieldsOf, furtherPortsOf } from '@capstan/challenge-files/format/container'
import type { GameFile } from '@capstan/challenge-files/format/game'
import { decodeBloodBonus } from '@capstan/contract/blood'
import type { ChallengeType } from '@capstan/contract/challenges'
import { Defaults } from '@capstan/contract/limits'
import { isEachTeam, isMadeBy, typeOf } from '../resolve/resolve-challenge.ts'
import {
  type ChallengeState,
  definitionOfState,
  type FileState,
  hasContainer,
  unusedAttachmentName,
} from '../state/challenge-state.ts'
import type { GameState } from '../state/game-state.ts'

/** Puts a file of the platform beside the file that is written. @returns how it names it */
export type PutFile = (file: FileState) => Promise<Exclude<AttachmentRule, { make: readonly string[] }>>

type Description = ChallengeFile['description']

type Environment = NonNullable<ContainerFields['environment']>

/** The variables of a container. A secret that a file has already is read from where it says. */
const environmentOf = (fresh: Environment, known: Environment): Environment =>
  Object.fromEntries(
    Object.entries(fresh).map(([name, value]) => {
      const before = Object.hasOwn(known, name) ? known[name] : undefined
      return [name, typeof value === 'object' && typeof before === 'object' ? before : value]
    }),
  )

const runOf = (state: ChallengeState, known: Environment): ContainerFields => {
  const fields = fieldsOf({ ...definitionOfState(state), secrets: state.secrets.map((name) => ({ name })) })
  return { ...fields, ...(fields.environment && { environment: environmentOf(fields.environment, known) }) }
}

const containerOf = (state: ChallengeState, known: Environment): NonNullable<ChallengeFile['container']> => ({
  image: state.image,
  ports: [
    {
      port: state.port,
      speaks: state.reach.speaks,
      ...(state.reach.isRaw && { raw: true }),
      ...(state.reach.hasOwnCertificate && { ownCertificate: true }),
      ...(state.reach.isGuarded && { guarded: true }),
    },
    ...furtherPortsOf(definitionOfState(state)),
  ],
  ...runOf(state, known),
  cpu: state.cpuTenths / 10,
  memoryMb: state.memoryMb,
  storageMb: state.storageMb,
  ...(state.capture && { capture: true }),
})

/** @param known rule of the present file that makes a flag for each team: it stays, with the command of its author */
const flagsOf = async (
  type: ChallengeType,
  state: ChallengeState,
  put: PutFile,
  known: Extract<FlagRule, { eachTeam: string }> | undefined,
): Promise<FlagRule[]> => {
  if (type === 'DynamicContainer') return state.template === '' ? [] : [{ template: state.template }]
  const rules: FlagRule[] = known ? [known] : []
  for (const { flag, file, kind } of state.flags)
    if (!known || file === null || !isMadeBy(known.eachTeam, flag))
      rules.push(
        kind === 'Pattern'
          ? { pattern: flag }
          : { text: flag, ...(kind === 'Caseless' && { ignoreCase: true }), ...(file && { attachment: await put(file) }) },
      )
  return rules
}

/** A challenge of the platform as its file, without a command that comes from the platform. */
export const describeChallenge = async (
  name: string,
  type: ChallengeType,
  state: ChallengeState,
  parts: { readonly description: Description; readonly put: PutFile; readonly before?: ChallengeFile },
): Promise<ChallengeFile> => {
  const file: ChallengeFile = {
    apiVersion: 'capstan/v1',
    kind: 'Challenge',
    name,
    title: state.title,
    category: state.category,
    ...(state.tags.length > 0 && { tags: [...state.tags] }),
    ...(state.level !== null && { difficulty: state.level }),
    enabled: state.enabled,
    description: parts.description,
    score: { points: state.points, minimumShare: state.minimumShare, difficulty: state.difficulty },
    flags: await flagsOf(type, state, parts.put, parts.before?.flags.find(isEachTeam)),
    ...(state.hints.length > 0 && { hints: state.hints.map((text) => ({ text })) }),
    ...(state.attachment && { attachments: [await parts.put(state.attachment)] }),
    ...(state.attachmentName !== unusedAttachmentName && { attachmentName: state.attachmentName }),
    ...(hasContainer(type) && { container: containerOf(state, parts.before?.container?.environment ?? {}) }),
  }
  return typeOf(file) === type ? file : { ...file, type }
}

/** A game of the platform as its file. */
export const describeGame = (
  name: string,
  state: GameState,
  parts: { readonly description: Description; readonly poster: string | undefined },
): GameFile => {
  const bonus = decodeBloodBonus(state.bloodBonus)
  return {
    apiVersion: 'capstan/v1',
    kind: 'Game',
    name,
    title: state.title,
    hidden: state.hidden,
    summary: state.summary,
    description: parts.description,
    ...(parts.poster !== undefined && { poster: parts.poster }),
    starts: state.starts,
    ends: state.ends,
    practice: state.practice,
    acceptWithoutReview: state.acceptWithoutReview,
    ...(state.inviteCode !== null && { inviteCode: state.inviteCode }),
    ...(state.divisions.length > 0 && {
      divisions: state.divisions.map(({ name: division, inviteCode }) => ({
        name: division,
        ...(inviteCode !== null && { inviteCode }),
      })),
    }),
    teamSize: state.teamSize,
    instancesPerTeam: state.instancesPerTeam,
    writeups: {
      required: state.writeupsRequired,
      deadline: state.writeupsDeadline,
      ...(state.writeupsNote !== '' && { note: state.writeupsNote }),
    },
    ...(state.bloodBonus !== Defaults.bloodBonus && {
      bloodBonus: { first: bonus.first / 10, second: bonus.second / 10, third: bonus.third / 10 },
    }),
  }
}
