import { comparableContentOf, type Platform, type Reply } from './frozen-platform.ts'
import { type ChallengeName, type FrozenWorld, flagOfChallenge, type TeamName } from './frozen-world.ts'

export type Change = (platform: Platform) => Promise<Reply>

/** Returns changes by other teams and organizers, as a map from a description to the change. */
export function listChangesByOthers({
  game,
  full,
  challenges,
  teams,
  deserted,
  hintId,
  question,
}: FrozenWorld): Readonly<Record<string, Change>> {
  const path = `/api/game/${game.id}`
  const answer =
    (team: TeamName, challenge: ChallengeName, flag = flagOfChallenge(challenge, team)): Change =>
    ({ clientOf }) =>
      clientOf(team).post(`${path}/challenges/${challenges[challenge].id}/verdict`, { flag })
  const review =
    ({ participationId }: { readonly participationId: number }, status: string): Change =>
    ({ clientOf }) =>
      clientOf('admin').put(`/api/admin/participation/${participationId}/${status}`)
  return {
    'a first solve': answer('first', 'knot'),
    'a second solve': answer('second', 'knot'),
    'a third solve': answer('third', 'knot'),
    'a solve of a solved challenge': answer('second', 'rope'),
    'a wrong answer': answer('second', 'rope', 'flag{wrong}'),
    "another team's flag": answer('second', 'splice', flagOfChallenge('splice', 'first')),
    'a found flag': answer('second', 'braid'),
    'a bought hint': ({ clientOf }) =>
      clientOf('first').post(`${path}/challenges/${challenges.rope.id}/hints/${hintId}`, { price: 20 }),
    'an award': ({ clientOf }) =>
      clientOf('admin').post(`/api/edit/games/${game.id}/awards`, { teamId: teams.first.id, points: 70, reason: 'A talk' }),
    'a solve that is taken back': ({ clientOf }) =>
      clientOf('admin').post(`/api/edit/games/${game.id}/corrections`, {
        ...{ teamId: teams.third.id, challengeId: challenges.rope.id, kind: 'TakenBack', reason: 'A shared flag' },
      }),
    'a granted solve': ({ clientOf }) =>
      clientOf('admin').post(`/api/edit/games/${game.id}/corrections`, {
        ...{ teamId: teams.first.id, challengeId: challenges.hitch.id, kind: 'Granted', reason: 'The flag was wrong' },
      }),
    'a team that joins': ({ clientOf }) => clientOf('late').post(path, { teamId: teams.late.id, organization: 'open' }),
    'another team that joins': ({ clientOf }) =>
      clientOf('later').post(path, { teamId: teams.later.id, organization: 'student' }),
    'an accepted team': review(teams.pending, 'Accepted'),
    'a suspended team': review(teams.third, 'Suspended'),
    'a rejected team that tries to leave': async (platform) => {
      const reply = await review(teams.leaver, 'Rejected')(platform)
      await platform.clientOf('leaver').delete(path)
      return reply
    },
    'a rejected team without members': async (platform) => {
      await review(deserted, 'Rejected')(platform)
      await platform.clientOf('admin').put(`/api/admin/teams/${deserted.id}`, { locked: false })
      return platform.clientOf('deckhand').post(`/api/team/${deserted.id}/leave`)
    },
    'a team that leaves the waiting list': ({ clientOf }) => clientOf('leaver').delete(`/api/game/${full.id}`),
    'a rejected team that its captain tries to disband': async ({ clientOf }) => {
      const reply = await clientOf('admin').put(`/api/admin/teams/${teams.leaver.id}`, { locked: false })
      await clientOf('leaver').delete(`/api/team/${teams.leaver.id}`)
      return reply
    },
    'another division': ({ clientOf }) =>
      clientOf('admin').put(`/api/admin/participation/organization/${teams.first.participationId}/student`),
    'a started instance': ({ clientOf }) => clientOf('first').post(`${path}/container/${challenges.hitch.id}`),
    'an answer to a question': ({ clientOf }) =>
      clientOf('first').put(`${path}/answers`, { answers: [{ questionId: question.id, values: ['Vegan'] }] }),
    'a ticket': ({ clientOf }) => clientOf('first').post(`${path}/tickets`, { subject: 'Help', text: 'The rope is cut.' }),
    'a writeup': ({ clientOf }) =>
      clientOf('first').upload('POST', `${path}/writeup`, [
        { name: 'writeup.pdf', type: 'application/pdf', content: '%PDF-1.7 mine' },
      ]),
  }
}

/** Returns the changes of the team `active`, including an award. */
export function listChangesByOwnTeam({
  game,
  open,
  islet,
  challenges,
  teams,
  hintId,
  expensiveHintId,
}: FrozenWorld): readonly Change[] {
  const post =
    (call: string, by: 'active' | 'mate', address: string, body: unknown, { id } = game): Change =>
    async ({ clientOf, answers }) => {
      const reply = await clientOf(by).post(`/api/game/${id}/challenges/${address}`, body)
      answers.push({ call, request: `${by} ${address}`, content: comparableContentOf(reply) })
      return reply
    }
  return [
    post('submitFlag', 'active', String(challenges.rope.id), { flag: 'flag{wrong}' }),
    post('judgeFlag', 'active', `${challenges.knot.id}/verdict`, { flag: flagOfChallenge('knot', 'active') }),
    post('buyHint', 'mate', `${challenges.rope.id}/hints/${hintId}`, { price: 20 }),
    post('judgeFlag', 'active', `${islet.id}/verdict`, { flag: 'flag{islet}' }, open),
    // The value of this challenge differs between the live board and the frozen board.
    post('judgeFlag', 'mate', `${challenges.rope.id}/verdict`, { flag: flagOfChallenge('rope', 'active') }),
    // The team can afford this hint by the challenge values of the frozen board. By the live values, the team cannot afford it.
    post('buyHint', 'active', `${challenges.rope.id}/hints/${expensiveHintId}`, { price: 500 }),
    ({ clientOf }) =>
      clientOf('admin').post(`/api/edit/games/${game.id}/awards`, { teamId: teams.active.id, points: 5, reason: 'A report' }),
  ]
}
