import { randomUUID } from 'node:crypto'
import { type ChallengeFlag, normalizeChallengeReach, resetUnusedSettings } from '@capstan/challenge-files/challenge/challenge'
import { matchFlags, subtractFlags } from '@capstan/challenge-files/challenge/flags'
import { normalizeContainerDefinition } from '@capstan/challenge-files/format/container'
import type { Challenge, ChallengeFileRef } from '@capstan/contract/challenge'
import { defaultAttachmentName, defaultContainer, type EntryContainer, entryContainerOf } from '@capstan/contract/challenge-parts'
import { hasContainer, hasFlagList } from '@capstan/contract/challenge-types'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import {
  type ChallengeContainer,
  type FirstContainer,
  type FurtherContainer,
  withoutDefaultNetworks,
} from '@capstan/contract/containers'
import { pickFields } from '@capstan/contract/pick-fields'
import { listStoredHints, matchStoredHints, type StoredHint, toHintColumns } from '../../rules/scoring/hints.ts'
import type { AttachmentRow, ChallengeRow, FlagRow } from './repository.ts'

export type ChallengeRows = Readonly<{
  challenge: ChallengeRow
  attachment: AttachmentRow | undefined
  flags: readonly FlagRow[]
}>

export type StoredFlag = ChallengeFlag & Readonly<{ id?: number }>

/** Stored challenge, including the ids of its flags and of its hints. */
export type StoredChallenge = Omit<Challenge, 'flags' | 'hints'> &
  Readonly<{ flags: readonly StoredFlag[]; hints: readonly StoredHint[] }>

type AttachmentSource = Pick<AttachmentRow, 'fileHash' | 'fileName' | 'remoteUrl'>

function fileRefOf({ fileHash, fileName, remoteUrl }: AttachmentSource): ChallengeFileRef {
  return fileHash === null ? { url: remoteUrl ?? '' } : { hash: fileHash, name: fileName ?? defaultAttachmentName }
}

export function attachmentRowValuesOf(file: ChallengeFileRef) {
  return 'url' in file
    ? ({ type: 'Remote', remoteUrl: file.url } as const)
    : ({ type: 'Local', fileHash: file.hash, fileName: file.name } as const)
}

type Secrets = ChallengeRow['containerSecrets']

/** Fields of a challenge that have the same name and value in its row. */
const fieldsOfRow = [
  ...(['title', 'type', 'tags', 'difficulty', 'points', 'minimumShare', 'decay'] as const),
  ...(['submissionLimit', 'cooldownSeconds', 'curve', 'isValueFixed'] as const),
] as const

/** Fields of the first container that have the same name and value in the row of the challenge. */
const containerFieldsOfRow = ['port', 'cpuTenths', 'memoryMb', 'storageMb'] as const

/** Returns a container definition that contains the names of the secret variables. */
function definitionOf(stored: ChallengeRow['container'], secrets: Secrets): ChallengeContainer['definition'] {
  const names = Object.keys(secrets).sort()
  return { ...stored, ...(names.length > 0 && { secrets: names.map((name) => ({ name })) }) }
}

function storedContainersOf(row: ChallengeRow): ChallengeContainer[] {
  const first = {
    ...row.firstContainer,
    name: row.firstContainer.name ?? defaultContainer.name,
    image: row.containerImage,
    ...pickFields(row, containerFieldsOfRow),
    reach: normalizeChallengeReach({
      speaks: row.speaks,
      isRaw: row.isRawHttp,
      hasOwnCertificate: row.hasOwnCertificate,
      isGuarded: row.isGuarded,
    }),
    capture: row.capture && (row.capturesAll ? ('all' as const) : true),
    definition: definitionOf(row.container, row.containerSecrets),
  }
  const others = row.furtherContainers.map((container) => ({
    ...container,
    port: null,
    reach: defaultContainer.reach,
    capture: false,
    definition: definitionOf(container.definition, secretValuesOfContainer(row, container.name)),
  }))
  return [first, ...others]
}

/** Returns the values of the secret variables of the container with this name. */
export function secretValuesOfContainer(row: ChallengeRow, container: string): Secrets {
  if (container === (row.firstContainer.name ?? defaultContainer.name)) return row.containerSecrets
  const { furtherContainerSecrets: byName } = row
  return (Object.hasOwn(byName, container) ? byName[container] : undefined) ?? {}
}

/** Creates a challenge from its rows. Secret variables have a name but no value. */
export function storedChallengeOf({ challenge: row, attachment, flags }: ChallengeRows): StoredChallenge {
  return {
    ...pickFields(row, fieldsOfRow),
    category: row.category as ChallengeCategory,
    enabled: row.isEnabled,
    description: row.content,
    release: row.releaseAt?.getTime() ?? null,
    deadline: row.deadlineAt?.getTime() ?? null,
    bloods: row.hasBloods,
    unlock: row.unlockRule,
    hints: listStoredHints(row),
    flags: flags.map(({ id, flag, kind, points, attachment: own }) => ({
      id,
      flag,
      file: own && fileRefOf(own),
      ...(kind !== 'Exact' && { kind }),
      ...(points !== null && { points }),
    })),
    template: row.flagTemplate ?? '',
    attachment: attachment === undefined ? null : fileRefOf(attachment),
    attachmentName: row.fileName,
    containers: storedContainersOf(row),
  }
}

/** Normalizes a container, so that equivalent containers are equal. */
export function normalizeContainer({ reach, definition, ...container }: ChallengeContainer): ChallengeContainer {
  return withoutDefaultNetworks({
    ...container,
    reach: container.port === null ? defaultContainer.reach : normalizeChallengeReach(reach),
    definition: {
      ...normalizeContainerDefinition(definition, container.port),
      ...(definition.secrets && { secrets: definition.secrets }),
    },
  })
}

/**
 * Changes the entry port of a container. A readiness probe of the former port then checks the new port. If an additional port has
 * the same number as the new port, that additional port is removed.
 */
export function changeEntryPort(container: EntryContainer, port: number): ChallengeContainer {
  if (port === container.port) return container
  const { readiness } = container.definition
  const moved = readiness?.port === container.port && { readiness: { ...readiness, port } }
  return normalizeContainer({ ...container, port, definition: { ...container.definition, ...moved } })
}

/** Returns a challenge without ids. Fields that its type does not use have their defaults. */
export function challengeOfRows(rows: ChallengeRows): Challenge {
  const stored = storedChallengeOf(rows)
  return resetUnusedSettings<ChallengeFileRef>({
    ...stored,
    hints: stored.hints.map(({ text, price }) => ({ text, price })),
    flags: stored.flags.map(({ id: _, ...flag }) => flag),
    containers: stored.containers.map(normalizeContainer),
  })
}

/** Replaces the fields that the type of the challenge uses. A retained flag also retains its id, even if its points change. */
export function replaceFieldsUsedByChallengeType(challenge: Challenge, stored: StoredChallenge): StoredChallenge {
  const { type } = challenge
  const given = matchFlags(stored.flags, challenge.flags)
  const retained = stored.flags.flatMap(({ points: _, ...flag }, index) => {
    const equal = given[index]
    return equal ? [{ ...flag, ...(equal.points !== undefined && { points: equal.points }) }] : []
  })
  return {
    ...challenge,
    hints: matchStoredHints(challenge.hints, stored.hints),
    flags: hasFlagList(type) ? [...retained, ...subtractFlags(challenge.flags, stored.flags)] : stored.flags,
    ...(hasFlagList(type) && { template: stored.template }),
    ...(type === 'DynamicAttachment' ? { attachment: stored.attachment } : { attachmentName: stored.attachmentName }),
    ...(!hasContainer(type) && { containers: stored.containers }),
  }
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}

function furtherContainerOf(given: ChallengeContainer): FurtherContainer {
  const { port: _, reach: __, capture: ___, definition, ...container } = given
  const { secrets: ____, ...stored } = definition
  return { ...container, definition: stored }
}

function firstContainerOf({ name, networks, dependsOn, receivesFlag }: ChallengeContainer): FirstContainer {
  return {
    ...(name !== defaultContainer.name && { name }),
    ...(networks && { networks }),
    ...(dependsOn && { dependsOn }),
    ...(receivesFlag !== undefined && { receivesFlag }),
  }
}

/** Returns the columns of a challenge. Files and secret values are not included. */
export function columnsOfChallenge(challenge: Omit<StoredChallenge, 'flags'>) {
  const container = entryContainerOf(challenge)
  const { secrets: _, ...definition } = container.definition
  return {
    ...pickFields(challenge, fieldsOfRow),
    category: challenge.category,
    isEnabled: challenge.enabled,
    content: challenge.description,
    releaseAt: dateOf(challenge.release),
    deadlineAt: dateOf(challenge.deadline),
    hasBloods: challenge.bloods,
    unlockRule: challenge.unlock,
    ...toHintColumns(challenge.hints, randomUUID),
    flagTemplate: challenge.template === '' ? null : challenge.template,
    fileName: challenge.attachmentName,
    containerImage: container.image,
    ...pickFields(container, containerFieldsOfRow),
    speaks: container.reach.speaks,
    isRawHttp: container.reach.isRaw,
    hasOwnCertificate: container.reach.hasOwnCertificate,
    isGuarded: container.reach.isGuarded ?? false,
    capture: container.capture !== false,
    capturesAll: container.capture === 'all',
    container: definition,
    firstContainer: firstContainerOf(container),
    furtherContainers: challenge.containers.slice(1).map(furtherContainerOf),
  }
}
