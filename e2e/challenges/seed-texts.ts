/** What the demo game says about itself. */
export const demoGame = {
  title: 'Harbour Trials',
  /** Title while it is being made; a game of this title is an attempt that broke off. */
  draftTitle: 'Harbour Trials (being prepared)',
  summary: 'Eight tasks between the quay and the open sea: seals, strongrooms, winches and fog. An evening is enough.',
  /** Open to all: none asks for a code. */
  divisions: ['Open Water', 'Cadets'],
  content: `Meridian Roads, a week before the autumn gales. The tug *Ariadne* lies at berth nine, the salvage ship *Capstan* at berth eleven, and neither may leave. Some papers are sealed, some doors are shut, and the instruments tell lies.

You and your crew have seven days to get both out to sea.

## How to play

1. Join with your team and pick a division. Both are open to everyone.
2. Start with **Muster Roll**. It takes a minute and shows where flags go.
3. Where a task has a **container**, start your own instance. It belongs to your team alone; up to three run at once.
4. A flag looks like \`flag{...}\`. Send it as it stands, capitals and all.

## Scoring

Every task is worth less the more crews solve it. With $S$ points at first, a floor of $r \\cdot S$ and difficulty $d$, the $n$-th crew leaves it at

$$
\\left\\lfloor S \\cdot \\left( r + (1 - r) \\cdot e^{(1 - n) / d} \\right) \\right\\rfloor
$$

and everyone who solved it has that many. The first three crews earn 5, 3 and 1 per cent on top.

## House rules

- Attack the tasks, not the platform, and not each other.
- Most flags are made for your crew alone, and borrowed ones are noticed.
- Hints are free. Nobody on the quay will laugh.

| Deck | Task for it |
|---|---|
| Crypto | a seal that signs almost anything |
| Web | a shop with a talkative ledger |
| Reverse | a lock of fifty instructions |
| Forensics | an echo sounder with a second listener |
| Hardware | a pin that is in no drawing |
| PPC | six charts and not enough coal |
| OSINT | five hoists at dawn |
`,
} as const

export const welcomeNotice =
  'Welcome to the **Harbour Trials**. Sign the *Muster Roll* first, then follow your nose. The harbour office opens now.'

/** The news article that announces the game. Titles are at most 50 characters long. */
export const firstPost = (gameId: number) =>
  ({
    title: 'The Harbour Trials are open',
    summary: 'Eight tasks, seven days, one tug and one salvage ship that ought to be at sea.',
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
  }) as const
