import type { ChallengeEdit } from '@capstan/contract/challenges'

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
    ...changed,
  }
}

/** Answers of the game that the challenge belongs to. */
export const gameOfChallenge = {
  'GET /api/edit/games/3': {
    body: { id: 3, title: 'Regatta', start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' },
  },
}
