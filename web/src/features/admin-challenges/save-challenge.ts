import type { Challenge, ChallengeChange, FullChallenge } from '@capstan/contract/challenge'
import { replaceFlags, toChallengeWrite } from '@capstan/contract/challenge-parts'
import { operations, ownOperations } from '@capstan/contract/operations'
import { ApiError, call } from '../../lib/http.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'
import { downloadAddressOfFile } from './shown-file.ts'

type Flag = Challenge['flags'][number]

/** Returns a unique key for each flag, in the same order. The key starts with a number that distinguishes equal flags. */
export function createFlagKeys(flags: readonly Flag[]): string[] {
  const counts = new Map<string, number>()
  return flags.map(({ flag, kind = 'Exact', file }) => {
    const text = JSON.stringify([flag, kind, file && downloadAddressOfFile(file)])
    const count = (counts.get(text) ?? 0) + 1
    counts.set(text, count)
    return `${count} ${text}`
  })
}

/** Replaces the text and the points of a flag. If `points` is undefined, the flag loses its points. */
export function replaceFlag(
  challenge: Challenge,
  key: string,
  { flag: text, points }: Readonly<{ flag: string; points?: number | undefined }>,
): Challenge {
  const place = createFlagKeys(challenge.flags).indexOf(key)
  return {
    ...challenge,
    flags: challenge.flags.map((known, index) => {
      if (index !== place) return known
      const { points: _, ...rest } = known
      return { ...rest, flag: text, ...(points !== undefined && { points }) }
    }),
  }
}

export function removeFlags(challenge: Challenge, removed: ReadonlySet<string>): Challenge {
  const keys = createFlagKeys(challenge.flags)
  return replaceFlags(
    challenge,
    challenge.flags.filter((_, index) => !removed.has(keys[index] ?? '')),
  )
}

type Change = Readonly<{
  change: (challenge: Challenge) => Challenge
  /** Returns true if another user changed the same fields. The organizer then decides which change is saved. */
  isContested?: (newer: FullChallenge) => boolean
}>

async function put(gameId: number, { id, version, challenge }: FullChallenge, change: Change['change']): Promise<FullChallenge> {
  return call(ownOperations.replaceChallenge, {
    params: { id: gameId, cid: id },
    body: { version, challenge: toChallengeWrite(change(challenge)) },
    timeoutMs: 120_000,
  })
}

/** Shows a saved challenge in its editor and in the list of challenges. */
async function showSaved(gameId: number, saved: FullChallenge): Promise<void> {
  const { id, challenge } = saved
  const params = { id: gameId, cid: id }
  await setCallData([ownOperations.getFullChallenge, { params }], saved)
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
  void refreshCall(ownOperations.listChallengeReadiness, { params: { id: gameId } })
}

/**
 * Saves a challenge with one request. If the server has a newer version of the challenge, the change is applied to that version.
 * @param known challenge in the editor
 * @returns undefined if another user changed the same fields. In this case the editor shows the newer version, and nothing is
 * saved
 */
export async function saveChallenge(
  gameId: number,
  known: FullChallenge,
  { change, isContested = () => false }: Change,
): Promise<FullChallenge | undefined> {
  const save = async (base: FullChallenge) => {
    const saved = await put(gameId, base, change)
    await showSaved(gameId, saved)
    return saved
  }
  try {
    return await save(known)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'challenge.changed') throw error
    const params = { id: gameId, cid: known.id }
    const newer = await call(ownOperations.getFullChallenge, { params })
    await setCallData([ownOperations.getFullChallenge, { params }], newer)
    return isContested(newer) ? undefined : save(newer)
  }
}

/** Applies the same change to several challenges. Either all of them change or none. */
export async function changeChallenges(gameId: number, challenges: number[], change: ChallengeChange): Promise<void> {
  const changed = await call(ownOperations.changeChallenges, { params: { id: gameId }, body: { challenges, change } })
  await Promise.all(changed.map((challenge) => showSaved(gameId, challenge)))
}
