/** Generated submission of a team. The times of all submissions are distributed as in a real game at a weekend. */
export type Attempt = Readonly<{
  team: number
  challenge: number
  isRight: boolean
  /** Time of the submission as a fraction: 0 is the start of the game and 1 is now. */
  moment: number
}>

/**
 * Generates submissions. A team solves the challenges whose difficulty is below its skill. Teams solve difficult
 * challenges later, and submit wrong flags before. For 500 teams and 50 challenges, there are about 8,000 solves.
 * @returns submissions in order of time
 */
export function makeSubmissionHistory(teams: number, challenges: number, random: () => number): Attempt[] {
  const attempts: Attempt[] = []
  for (let team = 0; team < teams; team += 1) {
    // Most teams are beginners, and few are experts.
    const skill = random() ** 2
    for (let challenge = 0; challenge < challenges; challenge += 1) {
      const hardness = (challenge + 0.5) / challenges
      const ease = skill - hardness + 0.05 + (random() - 0.5) * 0.4
      if (ease <= 0) {
        if (random() < 0.15) attempts.push({ team, challenge, isRight: false, moment: random() })
        continue
      }
      const moment = Math.min(0.999, Math.max(0.001, hardness * 0.6 + (1 - Math.min(1, ease)) * 0.3 + (random() - 0.5) * 0.3))
      for (let wrong = Math.floor(random() * 3); wrong > 0; wrong -= 1)
        attempts.push({ team, challenge, isRight: false, moment: moment * (0.9 + random() * 0.1) })
      attempts.push({ team, challenge, isRight: true, moment })
    }
  }
  return attempts.sort((left, right) => left.moment - right.moment)
}
