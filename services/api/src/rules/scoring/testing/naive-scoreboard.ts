import { ChallengeCategory } from '@capstan/contract/challenges'
import type { Scoreboard, SolveRank } from '@capstan/contract/scoreboard'
import type { RankedChallenge, RankedParticipation, ScoreboardFacts } from '../ranking.ts'

/** Returns a function that computes the result for each object only once. */
function computedOnce<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, { readonly value: Value }>()
  return (key) => {
    const found = known.get(key) ?? { value: compute(key) }
    known.set(key, found)
    return found.value
  }
}

/**
 * Second implementation of the scoreboard, written from its rules sentence by sentence. It shares no code with the real
 * implementation, and for each value it reads all solves again.
 */
export function buildNaiveScoreboard({
  game,
  challenges,
  divisions,
  participations,
  solves,
  updatedAt,
}: ScoreboardFacts): Scoreboard {
  const enabled = challenges.filter((challenge) => challenge.isEnabled)
  const accepted = participations.filter((participation) => participation.status === 'Accepted')

  const bits = game.bloodBonus.toString(2).padStart(30, '0').slice(-30)
  const parts = [0, 10, 20].map((from) => Number.parseInt(bits.slice(from, from + 10), 2))
  const bonuses = parts.some((part) => part > 1000) ? [50, 30, 10] : parts

  const earlier = (left: (typeof solves)[number], right: (typeof solves)[number]) =>
    left.submittedAt < right.submittedAt || (+left.submittedAt === +right.submittedAt && left.submissionId < right.submissionId)

  const counted = solves
    .filter((solve) => enabled.some(({ id }) => id === solve.challengeId))
    .filter((solve) => accepted.some(({ id }) => id === solve.participationId))
    .filter((solve) => solve.submittedAt.getTime() < game.end.getTime())
    .filter((solve) => {
      const deadline = enabled.find(({ id }) => id === solve.challengeId)?.deadline
      return !deadline || +solve.submittedAt < +deadline
    })
    .filter((solve, _, all) => {
      const same = all.filter(
        (other) => other.challengeId === solve.challengeId && other.participationId === solve.participationId,
      )
      return !same.some((other) => earlier(other, solve))
    })

  const inOrder = (list: typeof counted) =>
    list
      .map((solve) => ({ solve, before: list.filter((other) => earlier(other, solve)).length }))
      .sort((left, right) => left.before - right.before)
      .map(({ solve }) => solve)

  const solvesOf = computedOnce((challenge: RankedChallenge) =>
    inOrder(counted.filter((solve) => solve.challengeId === challenge.id)),
  )
  const solvesBy = computedOnce((team: RankedParticipation) =>
    inOrder(counted.filter((solve) => solve.participationId === team.id)),
  )

  const divisionOf = (team: RankedParticipation) => divisions.find(({ name }) => name === team.division)
  // The bits of rights are written as numbers, because this implementation shares no code with the real implementation.
  const may = (solve: (typeof solves)[number], bit: number) => {
    const division = divisionOf(accepted.find(({ id }) => id === solve.participationId)!)
    if (!division) return true
    const own = [...division.overrides].find(([challengeId]) => challengeId === solve.challengeId)
    return Math.floor((own ? own[1] : division.defaultPermissions) / bit) % 2 === 1
  }
  const [points, bloods, value] = [1024, 2048, 4096]
  const valuedSolvesOf = (challenge: RankedChallenge) => solvesOf(challenge).filter((solve) => may(solve, value))
  const bloodSolvesOf = (challenge: RankedChallenge) => solvesOf(challenge).filter((solve) => may(solve, bloods))
  const paidSolvesBy = (team: RankedParticipation) => solvesBy(team).filter((solve) => may(solve, points))
  const isRanked = (team: RankedParticipation) => {
    const division = divisionOf(team)
    return !division || Math.floor(division.defaultPermissions / 2) % 2 === 1
  }

  /** Returns the value that a challenge has if only the solves in `list` exist. */
  const valueWith = (challenge: RankedChallenge, list: typeof counted) => {
    const valued = list.filter((solve) => may(solve, value))
    const solversOf = (id: number) => valued.filter((solve) => solve.challengeId === id).length
    const n = solversOf(challenge.id)
    const { curve, points: s, minimumShare: r, decay: d } = challenge
    const minimum = Math.floor(r * s)
    if (curve === 'rctf') {
      const [c0, c1] = [-Math.atanh(0.7), Math.atanh(0.96)]
      const a = (x: number) => (1 - Math.tanh(x)) / 2
      const b = (x: number) => (a((c1 - c0) * x + c0) - a(c1)) / (a(c0) - a(c1))
      const scale = Math.max(1, ...enabled.map(({ id }) => solversOf(id)))
      return Math.round(Math.max(minimum + (s - minimum) * b(n / scale), minimum + (s - minimum) * b(scale / scale)))
    }
    if (n <= 1 || curve === 'static') return s
    if (curve === 'linear') return Math.max(minimum, Math.ceil(s - d * (n - 1)))
    if (curve === 'parabola') return Math.max(minimum, Math.ceil(((minimum - s) / d ** 2) * (n - 1) ** 2 + s))
    return Math.floor(s * (r + (1 - r) * Math.exp((1 - n) / d)))
  }
  const presentValue = (challenge: RankedChallenge) => valueWith(challenge, counted)

  const roundHalfToEven = (thousandths: bigint) => {
    const doubled = thousandths * 2n
    const lower = thousandths / 1000n
    const distance = doubled - lower * 2000n
    return Number(distance > 1000n || (distance === 1000n && lower % 2n === 1n) ? lower + 1n : lower)
  }

  const placeOf = (solve: (typeof solves)[number]) => {
    const challenge = enabled.find(({ id }) => id === solve.challengeId)!
    return { challenge, place: bloodSolvesOf(challenge).findIndex(({ submissionId }) => submissionId === solve.submissionId) }
  }
  const pointsOf = computedOnce((solve: (typeof solves)[number]) => {
    const { challenge, place } = placeOf(solve)
    if (!may(solve, points)) return 0
    const until = counted.filter((other) => !earlier(solve, other))
    const value = valueWith(challenge, challenge.isValueFixed ? until : counted)
    if (!challenge.hasBloods) return value
    if (game.bloodPoints) {
      const { first, second, third } = game.bloodPoints
      return value + ([first, second, third][place] ?? 0)
    }
    return roundHalfToEven(BigInt(value) * BigInt(1000 + (bonuses[place] ?? 0)))
  })
  const ranks: SolveRank[] = ['FirstBlood', 'SecondBlood', 'ThirdBlood']
  const rankOf = (solve: (typeof solves)[number]): SolveRank => {
    const { challenge, place } = placeOf(solve)
    return (challenge.hasBloods ? ranks[place] : undefined) ?? 'Normal'
  }
  const awardsOf = (team: RankedParticipation) => team.awards ?? []
  const purchasesBy = ({ boughtHints = [] }: RankedParticipation) =>
    boughtHints.filter(
      ({ challengeId, price, time }) => time < +game.end && price > 0 && enabled.some(({ id }) => id === challengeId),
    )
  const flagsBy = (team: RankedParticipation) => {
    const found = (team.foundFlags ?? []).filter(({ challengeId, points: gained, foundAt }) => {
      const challenge = enabled.find(({ id }) => id === challengeId)
      if (!challenge || gained === 0 || +foundAt >= +game.end) return false
      if (challenge.deadline && +foundAt >= +challenge.deadline) return false
      const about = { participationId: team.id, challengeId, submissionId: 0, userName: null, submittedAt: foundAt }
      return may(about, points)
    })
    const isBefore = (left: (typeof found)[number], right: (typeof found)[number]) =>
      +left.foundAt < +right.foundAt || (+left.foundAt === +right.foundAt && left.submissionId < right.submissionId)
    return found
      .map((flag) => ({ flag, before: found.filter((other) => isBefore(other, flag)).length }))
      .sort((left, right) => left.before - right.before)
      .map(({ flag }) => flag)
  }
  const latestScoringSubmissionOf = computedOnce((team: RankedParticipation) => {
    const all = [
      ...paidSolvesBy(team).map(({ submittedAt, submissionId }) => ({ submittedAt, submissionId })),
      ...flagsBy(team).map(({ foundAt, submissionId }) => ({ submittedAt: foundAt, submissionId })),
    ]
    const isLater = (left: (typeof all)[number], right: (typeof all)[number]) =>
      +left.submittedAt > +right.submittedAt ||
      (+left.submittedAt === +right.submittedAt && left.submissionId > right.submissionId)
    return all.find((one) => !all.some((other) => isLater(other, one)))
  })
  const scoreOf = computedOnce(
    (team: RankedParticipation) =>
      solvesBy(team).reduce((sum, solve) => sum + pointsOf(solve), 0) +
      flagsBy(team).reduce((sum, flag) => sum + flag.points, 0) +
      awardsOf(team).reduce((sum, award) => sum + award.points, 0) -
      purchasesBy(team).reduce((sum, { price }) => sum + price, 0),
  )

  const isAhead = (left: RankedParticipation, right: RankedParticipation): boolean => {
    if (isRanked(left) !== isRanked(right)) return isRanked(left)
    if (scoreOf(left) !== scoreOf(right)) return scoreOf(left) > scoreOf(right)
    const [leftLast, rightLast] = [latestScoringSubmissionOf(left), latestScoringSubmissionOf(right)]
    if (leftLast && rightLast) {
      if (+leftLast.submittedAt !== +rightLast.submittedAt) return +leftLast.submittedAt < +rightLast.submittedAt
      return leftLast.submissionId < rightLast.submissionId
    }
    if (leftLast || rightLast) return leftLast !== undefined
    return left.team.id < right.team.id
  }
  const rankAmong = (team: RankedParticipation, teams: readonly RankedParticipation[]) =>
    1 + teams.filter((other) => other !== team && isAhead(other, team)).length
  const ranked = (teams: readonly RankedParticipation[]) =>
    [...teams].sort((left, right) => rankAmong(left, teams) - rankAmong(right, teams))
  const divisionMates = (division: string) => accepted.filter((team) => team.division === division)

  /** Order of events with the same time: awards, found flags, solves, purchases. */
  const happeningsOf = (team: RankedParticipation) => {
    const gains = [
      ...awardsOf(team).map(({ time, points: gained }) => ({ at: new Date(time), points: gained })),
      ...flagsBy(team).map(({ foundAt, points: gained }) => ({ at: foundAt, points: gained })),
      ...solvesBy(team).map((solve) => ({ at: solve.submittedAt, points: pointsOf(solve) })),
      ...purchasesBy(team).map(({ time, price }) => ({ at: new Date(time), points: -price })),
    ]
    return gains
      .map((gain, index) => ({
        gain,
        before: gains.filter((other, place) => other.at < gain.at || (+other.at === +gain.at && place < index)).length,
      }))
      .sort((left, right) => left.before - right.before)
      .map(({ gain }) => gain)
  }

  const timeline = (teams: readonly RankedParticipation[]) =>
    ranked(teams)
      .slice(0, 10)
      .map((team) => ({
        id: team.team.id,
        name: team.team.name,
        items: happeningsOf(team).map(({ at }, index, all) => ({
          time: at.toISOString(),
          score: all.slice(0, index + 1).reduce((sum, { points: gained }) => sum + gained, 0),
        })),
      }))

  const timeLines: Scoreboard['timeLines'] = { all: timeline(accepted.filter(isRanked)) }
  for (const { division } of accepted) if (division !== null) timeLines[division] = timeline(divisionMates(division))

  const byCategory: Scoreboard['challenges'] = {}
  for (const category of ChallengeCategory.enum) {
    const members = enabled.filter((challenge) => challenge.category === category)
    if (members.length === 0) continue
    members.sort((left, right) => (left.title < right.title ? -1 : left.title > right.title ? 1 : left.id - right.id))
    byCategory[category] = members.map((challenge) => ({
      id: challenge.id,
      title: challenge.title,
      category,
      score: presentValue(challenge),
      solved: valuedSolvesOf(challenge).length,
      bloods: bloodSolvesOf(challenge)
        .slice(0, challenge.hasBloods ? 3 : 0)
        .map((solve) => {
          const { team } = accepted.find(({ id }) => id === solve.participationId)!
          return { id: team.id, name: team.name, avatar: team.avatar, submitTimeUtc: solve.submittedAt.toISOString() }
        }),
      disableBloodBonus: !challenge.hasBloods,
      deadline: challenge.deadline === null ? null : +challenge.deadline,
      ...(challenge.flagPoints && { flagPoints: challenge.flagPoints }),
      ...(challenge.isValueFixed && { isValueFixed: true }),
    }))
  }

  return {
    updateTimeUtc: updatedAt.toISOString(),
    bloodBonus: bonuses[0]! * 2 ** 20 + bonuses[1]! * 2 ** 10 + bonuses[2]!,
    ...(game.bloodPoints && { bloodPoints: game.bloodPoints }),
    timeLines,
    items: ranked(accepted).map((team) => ({
      ...team.team,
      organization: team.division,
      divisionId: divisionOf(team)?.id ?? null,
      score: scoreOf(team),
      rank: isRanked(team) ? rankAmong(team, accepted) : 0,
      organizationRank: team.division === null ? null : rankAmong(team, divisionMates(team.division)),
      divisionRank: team.division === null ? null : rankAmong(team, divisionMates(team.division)),
      lastSubmissionTime: latestScoringSubmissionOf(team)?.submittedAt.toISOString() ?? '0001-01-01T00:00:00+00:00',
      solvedChallenges: solvesBy(team).map((solve) => ({
        id: solve.challengeId,
        score: pointsOf(solve),
        type: rankOf(solve),
        userName: solve.userName,
        time: solve.submittedAt.toISOString(),
      })),
      solvedCount: solvesBy(team).length,
      ...(awardsOf(team).length > 0 && { awards: [...awardsOf(team)] }),
      ...(flagsBy(team).length > 0 && {
        foundFlags: flagsBy(team).map(({ challengeId, points: gained, foundAt }) => ({
          ...{ id: challengeId, points: gained, time: +foundAt },
        })),
      }),
      ...(purchasesBy(team).length > 0 && {
        boughtHints: purchasesBy(team).map(({ price, time }) => ({ price, time })),
      }),
    })),
    challenges: byCategory,
    challengeCount: enabled.length,
    divisions: divisions.map(({ id, name, defaultPermissions, overrides }) => ({
      ...{ id, name, defaultPermissions },
      challengeConfigs: Object.fromEntries(
        [...overrides]
          .filter(([challengeId]) => enabled.some((challenge) => challenge.id === challengeId))
          .map(([challengeId, permissions]) => [challengeId, { challengeId, permissions }]),
      ),
    })),
  }
}
