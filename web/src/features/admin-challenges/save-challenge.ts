import { fileAddress } from '@capstan/contract/asset-address'
import type { Challenge, ChallengeContainer, WholeChallenge } from '@capstan/contract/challenge'
import type { FlagEntry, FlagKind } from '@capstan/contract/challenges'
import type { ContainerDefinition } from '@capstan/contract/container-definition'
import { operations, ownOperations } from '@capstan/contract/operations'
import { ApiError, call } from '../../lib/http.ts'
import { refresh, setCallData } from '../../lib/server-state.ts'

/** Returns the container of a challenge. The list has exactly one for now. */
export function containerOf({ challenge }: Pick<WholeChallenge, 'challenge'>): ChallengeContainer {
  const [container] = challenge.containers
  if (!container) throw new Error('A challenge has no container')
  return container
}

export function withDefinition(challenge: Challenge, definition: ContainerDefinition): Challenge {
  return { ...challenge, containers: challenge.containers.map((container) => ({ ...container, definition })) }
}

type FlagName = Pick<FlagEntry, 'flag' | 'attachment'> & Readonly<{ kind?: FlagKind | undefined }>

function keyOf(flag: string, kind: FlagKind = 'Exact', address: string | null = null): string {
  return JSON.stringify([flag, kind, address])
}
function keyOfNamed({ flag, kind, attachment }: FlagName): string {
  return keyOf(flag, kind, attachment?.url)
}
function keyOfStored({ flag, kind, file }: Challenge['flags'][number]): string {
  return keyOf(flag, kind, file && ('url' in file ? file.url : fileAddress(file.hash, file.name)))
}

export function withFlagText(challenge: Challenge, named: FlagName, text: string): Challenge {
  const place = challenge.flags.findIndex((flag) => keyOfStored(flag) === keyOfNamed(named))
  return { ...challenge, flags: challenge.flags.map((flag, index) => (index === place ? { ...flag, flag: text } : flag)) }
}

/** Removes flags. A challenge without its last flag is disabled. */
export function withoutFlags(challenge: Challenge, removed: readonly FlagName[]): Challenge {
  const left = new Map<string, number>()
  for (const named of removed) left.set(keyOfNamed(named), (left.get(keyOfNamed(named)) ?? 0) + 1)
  const flags = challenge.flags.filter((flag) => {
    const count = left.get(keyOfStored(flag)) ?? 0
    left.set(keyOfStored(flag), count - 1)
    return count <= 0
  })
  return { ...challenge, flags, enabled: challenge.enabled && flags.length > 0 }
}

type Change = Readonly<{
  change: (challenge: Challenge) => Challenge
  /** Returns true if another user changed the same fields, so that the organizer must choose. */
  isContested?: (newer: WholeChallenge) => boolean
}>

async function put(
  gameId: number,
  { id, version, challenge }: WholeChallenge,
  change: Change['change'],
): Promise<WholeChallenge> {
  return call(ownOperations.setWholeChallenge, {
    params: { id: gameId, cid: id },
    body: { version, challenge: change(challenge) },
  })
}

/** Shows a saved challenge in its editor and in the list. */
async function showSaved(gameId: number, saved: WholeChallenge): Promise<void> {
  const { id, challenge } = saved
  const params = { id: gameId, cid: id }
  await setCallData([ownOperations.getWholeChallenge, { params }], saved)
  await setCallData([operations.adminListChallenges, { params: { id: gameId } }], (known) =>
    known?.map((brief) =>
      brief.id === id
        ? {
            ...brief,
            title: challenge.title,
            category: challenge.category,
            isEnabled: challenge.enabled,
            originalScore: challenge.points,
          }
        : brief,
    ),
  )
  await setCallData([ownOperations.listChallengeLabels, { params: { id: gameId } }], (known) =>
    known?.map((labels) => (labels.id === id ? { id, tags: challenge.tags, difficulty: challenge.difficulty } : labels)),
  )
  void refresh(ownOperations.listChallengeReadiness, { params: { id: gameId } })
  await refresh(operations.adminGetChallenge, { params })
}

/**
 * Saves a challenge with one request. If there is a newer version, the change is applied to that version.
 * @param known challenge as the editor shows it
 * @returns undefined if the change is contested. The newer version is then shown, and nothing is saved
 */
export async function saveChallenge(
  gameId: number,
  known: WholeChallenge,
  { change, isContested = () => false }: Change,
): Promise<WholeChallenge | undefined> {
  const save = async (base: WholeChallenge) => {
    const saved = await put(gameId, base, change)
    await showSaved(gameId, saved)
    return saved
  }
  try {
    return await save(known)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'challenge.changed') throw error
    const params = { id: gameId, cid: known.id }
    const newer = await call(ownOperations.getWholeChallenge, { params })
    await setCallData([ownOperations.getWholeChallenge, { params }], newer)
    return isContested(newer) ? undefined : save(newer)
  }
}
