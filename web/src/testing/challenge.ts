import type { ChallengeContainer, WholeChallenge } from '@capstan/contract/challenge'
import type { ChallengeEdit } from '@capstan/contract/challenges'
import { allChoices } from '@capstan/contract/container-definition'

/** Returns a challenge as the editor reads it: number 7 of game 3. */
export function aChallenge(changed: Partial<ChallengeEdit> = {}): ChallengeEdit {
  return {
    id: 7,
    title: 'Seal',
    content: 'Get it sealed.',
    category: 'Crypto',
    type: 'StaticAttachment',
    hints: [],
    flagTemplate: null,
    isEnabled: false,
    acceptedCount: 0,
    fileName: 'attachment',
    attachment: null,
    testContainer: null,
    flags: [],
    containerImage: '',
    memoryLimit: 64,
    cpuCount: 1,
    storageLimit: 256,
    containerExposePort: 80,
    enableTrafficCapture: false,
    originalScore: 1000,
    minScoreRate: 0.25,
    difficulty: 5,
    submissionLimit: 0,
    cooldownSeconds: 0,
    ...changed,
  }
}

/** Returns the same challenge as one value. */
export function wholeOf(challenge: ChallengeEdit, container: Partial<ChallengeContainer> = {}): WholeChallenge {
  return {
    id: challenge.id,
    version: 'a'.repeat(64),
    solvers: challenge.acceptedCount,
    choices: allChoices,
    challenge: {
      title: challenge.title,
      category: challenge.category,
      type: challenge.type,
      tags: [],
      difficulty: null,
      enabled: challenge.isEnabled,
      description: challenge.content,
      points: challenge.originalScore,
      minimumShare: challenge.minScoreRate,
      decay: challenge.difficulty,
      submissionLimit: challenge.submissionLimit,
      cooldownSeconds: challenge.cooldownSeconds,
      hints: challenge.hints,
      flags: challenge.flags.map(({ flag }) => ({ flag, file: null })),
      template: challenge.flagTemplate ?? '',
      attachment: null,
      attachmentName: challenge.fileName ?? 'attachment',
      containers: [
        {
          image: challenge.containerImage,
          port: challenge.containerExposePort,
          reach: { speaks: 'tcp', isRaw: false, hasOwnCertificate: false },
          cpuTenths: challenge.cpuCount,
          memoryMb: challenge.memoryLimit,
          storageMb: challenge.storageLimit,
          capture: challenge.enableTrafficCapture ?? false,
          definition: {},
          ...container,
        },
      ],
    },
  }
}

/** Answers of the reads of challenge 7 of game 3. */
export function readsOf(challenge: ChallengeEdit) {
  const address = 'GET /api/edit/games/3/challenges/7'
  return { [address]: { body: challenge }, [`${address}/whole`]: { body: wholeOf(challenge) } }
}

/** Answers of the game that the challenge belongs to. */
export const gameOfChallenge = {
  'GET /api/edit/games/3': {
    body: { id: 3, title: 'Regatta', start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' },
  },
}
