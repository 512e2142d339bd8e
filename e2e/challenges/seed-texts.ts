import { readFileSync } from 'node:fs'
import path from 'node:path'
import { getDemoGame } from './manifest.ts'

const game = getDemoGame()

/** Texts of the demo game, from `capstan.yaml` and `game.md`. */
export const demoGame = {
  title: game.title,
  /** Title while the game is being created. A game that still has this title was not completed. */
  draftTitle: `${game.title} (being prepared)`,
  summary: game.summary ?? '',
  /** Divisions of the game, which all teams can join without a code. */
  divisions: (game.divisions ?? []).map(({ name }) => name),
  content: readFileSync(path.join(import.meta.dirname, 'game.md'), 'utf8'),
} as const

export const welcomeNotice =
  'Welcome to the **Harbour Trials**. Sign the *Muster Roll* first, then follow your nose. The harbour office opens now.'

/** Returns the news article that announces the game. */
export function createFirstPost(gameId: number) {
  return {
    title: 'The Harbour Trials are open',
    summary: 'Nine tasks, seven days, one tug and one salvage ship that ought to be at sea.',
    content: `The [Harbour Trials](/games/${gameId}) have begun. They are a small game to learn the ropes with, or to warm up before a long one.

- **Newcomers** start with *Muster Roll* and *Signal Hoist*: no tools needed but a browser.
- **Old hands** go for *The Harbourmaster's Seal* and *The Winch Lock*.
- Container tasks give each crew an instance of its own:

\`\`\`text
nc <host> <port>
\`\`\`

Bring a team or sail alone. Practice stays open after the end, so nothing is lost by being late.
`,
    tags: ['demo', 'game'],
    isPinned: false,
  } as const
}
