import type { FactsSource } from '../play/scoreboard/facts-repository.ts'
import { boardFactsOfScoreFold, loadGameSource } from '../play/scoreboard/game-source.ts'
import type { RecordedFacts } from '../rules/scoring/records.ts'
import { loadBoardFactsFromRows } from './stored-facts.ts'

type BothFacts = Readonly<{
  /** Data of the board, computed from the current rows. */
  stored: RecordedFacts | undefined
  /** Data of the board, computed from the score records, with the names in the current rows. */
  recorded: RecordedFacts | undefined
}>

/**
 * Returns the board data of a game, computed from the rows and from the score records. Both are undefined if the game does not
 * exist.
 */
export function loadStoredAndRecordedFacts({ reader }: FactsSource, gameId: number): Promise<BothFacts> {
  return reader.snapshot(async (at) => {
    const source = await loadGameSource(at, gameId)
    return { stored: await loadBoardFactsFromRows(at, gameId), recorded: source && boardFactsOfScoreFold(source.present, source) }
  })
}
