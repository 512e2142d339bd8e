import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import { changeEntryContainer, defaultContainer } from '@capstan/contract/challenge-parts'
import { allChoices } from '@capstan/contract/container-definition'
import type { ChallengeContainer } from '@capstan/contract/containers'

export function aChallenge(changed: Partial<Challenge> = {}): Challenge {
  return {
    title: 'Seal',
    category: 'Crypto',
    type: 'StaticAttachment',
    tags: [],
    difficulty: null,
    enabled: false,
    description: 'Get it sealed.',
    points: 1000,
    minimumShare: 0.25,
    decay: 5,
    hints: [],
    flags: [],
    template: '',
    attachment: null,
    attachmentName: 'attachment',
    containers: [defaultContainer],
    submissionLimit: 0,
    cooldownSeconds: 0,
    curve: 'exponential',
    isValueFixed: false,
    bloods: true,
    unlock: null,
    release: null,
    deadline: null,
    ...changed,
  }
}

/** Returns challenge 7 of game 3 in the form that the challenge editor reads from the server. */
export function createFullTestChallenge(challenge: Challenge, container: Partial<ChallengeContainer> = {}): FullChallenge {
  return {
    id: 7,
    version: 'a'.repeat(64),
    solvers: 0,
    choices: allChoices,
    testContainer: null,
    files: [],
    challenge: changeEntryContainer(challenge, container),
  }
}

/** Returns the fake server's responses to all calls that read challenge 7 of game 3. */
export function createFullChallengeResponses(challenge: Challenge) {
  return { 'GET /api/edit/games/3/challenges/7/whole': { body: createFullTestChallenge(challenge) } }
}

/** Responses of the fake server to calls that read game 3, to which the challenge belongs. */
export const gameOfChallenge = {
  'GET /api/edit/games/3': {
    body: { id: 3, title: 'Regatta', start: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' },
  },
}

const plainReach = { ...defaultContainer.reach, isGuarded: false }

/**
 * Containers of a challenge as the server returns them: a web page, its database and a bot. Players can connect to the web page
 * and the bot.
 */
export const threeContainers: ChallengeContainer[] = [
  {
    ...defaultContainer,
    ...{ name: 'page', image: 'x/page:1', cpuTenths: 3, memoryMb: 256, capture: true },
    reach: { ...plainReach, speaks: 'http' },
    networks: [
      { name: 'front', aliases: ['www', 'web'] },
      { name: 'back', aliases: [] },
    ],
    dependsOn: [{ name: 'db', when: 'ready' }],
  },
  {
    ...defaultContainer,
    ...{ name: 'db', image: 'x/db:1', port: null, reach: plainReach },
    definition: { furtherPorts: [5432] },
    networks: [{ name: 'back', aliases: [] }],
    receivesFlag: true,
  },
  {
    ...defaultContainer,
    ...{ name: 'bot', image: 'x/bot:1', port: null, reach: plainReach },
    definition: { furtherPorts: [9000], offeredPorts: [{ port: 9000, speaks: 'tcp' }] },
    networks: [{ name: 'front', aliases: [] }],
  },
]
