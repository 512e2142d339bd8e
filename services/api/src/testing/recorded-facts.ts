import { type FactsSource, loadGameFacts } from '../play/scoreboard/facts-repository.ts'
import { loadRecords } from '../play/scoreboard/records-repository.ts'
import { factsOf, presentState, type RecordedFacts } from '../rules/scoring/records.ts'

type BothFacts = Readonly<{
  /** Facts from the rows. */
  stored: RecordedFacts | undefined
  /** Facts from the records, with the names of the rows. */
  recorded: RecordedFacts | undefined
}>

/** Returns the facts of a game from its rows and from its records. Both are undefined if the game does not exist. */
export function loadBothFacts({ reader }: FactsSource, gameId: number): Promise<BothFacts> {
  return reader.snapshot(async (at) => {
    const facts = await loadGameFacts(at, gameId)
    const teams = new Map(facts?.participations.map(({ team }) => [team.id, team]))
    const users = new Map(facts?.solves.map(({ submissionId, userName }) => [submissionId, userName]))
    const recorded = factsOf(presentState(await loadRecords(at, gameId)), {
      team: (id) => teams.get(id) ?? { id, name: '', bio: null, avatar: null },
      userOf: (submissionId) => users.get(submissionId),
    })
    if (!facts) return { stored: undefined, recorded }
    const { game, challenges, divisions, solves } = facts
    // Unlocked challenges do not change scores, so they have no records.
    const participations = facts.participations.map(({ unlocked: _, ...participation }) => participation)
    return { stored: { game, challenges, divisions, participations, solves }, recorded }
  })
}
