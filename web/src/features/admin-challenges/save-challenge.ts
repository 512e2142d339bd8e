import type { Challenge, ChallengeContainer, WholeChallenge } from '@capstan/contract/challenge'
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

type Change = Readonly<{
  change: (challenge: Challenge) => Challenge
  /** Returns true if another user changed the same fields, so that the organizer must choose. */
  isContested: (newer: WholeChallenge) => boolean
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
        ? { ...brief, title: challenge.title, category: challenge.category, originalScore: challenge.points }
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
 * Saves a challenge with one request. If it has a newer version, the change is applied to that version.
 * @param known challenge as the editor shows it
 * @returns undefined if the change is contested. The newer version is then shown, and nothing is saved.
 */
export async function saveChallenge(
  gameId: number,
  known: WholeChallenge,
  { change, isContested }: Change,
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
