// Pages of the archive of a game. They need no server and no script. Rules: docs/contract/games-and-joining.md#archive.
import { noSubmissionTime } from '@capstan/contract/board-rules'
import type { LanguageCode } from '@capstan/contract/languages'
import type { BoardChallenge, Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { serverTexts } from '@capstan/contract/server-texts'
import { formatUtcTime } from '../../rules/utc-time.ts'
import { type Html, html } from './html.ts'
import type { FileAddress } from './markdown.ts'
import type { MarkdownThread } from './markdown-thread.ts'
import { lineColorAt, renderTimelineSvg } from './timeline-svg.ts'

export type ArchivedChallenge = Readonly<{
  content: string
  /** Hints without a price. Every team could read them. */
  hints: readonly string[]
  attachment: Readonly<{ name: string; address: string }> | undefined
}>

export type ArchivedGame = Readonly<{
  title: string
  content: string
  startsAt: Date
  endsAt: Date
  /** Scoreboard that omits each team whose captain hides the team's page. */
  board: Scoreboard
  challenges: ReadonlyMap<number, ArchivedChallenge>
  writeups: readonly Readonly<{ team: string; address: string }>[]
  fileOf: FileAddress
  /** Converts Markdown to HTML. */
  render: MarkdownThread['render']
  language: LanguageCode
}>

type Page = Readonly<{
  path: string
  parts: () => AsyncIterable<Html>
}>

export const style = `:root{color-scheme:light dark;--line:#8884;--muted:#808080}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
nav{display:flex;flex-wrap:wrap;gap:1rem;padding-bottom:.75rem;border-bottom:1px solid var(--line)}
h1{font-size:1.6rem;line-height:1.25;margin:1rem 0 .25rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2rem 0 .5rem}
.muted{color:var(--muted)}.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}th,td{padding:.3rem .6rem;text-align:start;border-bottom:1px solid var(--line)}
td.n,th.n{text-align:end;font-variant-numeric:tabular-nums;white-space:nowrap}th{font-weight:600}
svg{width:100%;height:auto;fill:none}.scroll>svg{min-width:40rem}svg line{stroke:var(--line)}svg path{stroke-width:2}svg text{fill:var(--muted);font-size:12px}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;padding:0}.legend svg{width:.8em;margin-inline-end:.4em}
pre{overflow-x:auto;padding:.75rem;border:1px solid var(--line);border-radius:6px}img{max-width:100%}
a{color:light-dark(#0b57d0,#8ab4f8)}td{overflow-wrap:break-word}.content{overflow-wrap:anywhere}.content h1{font-size:1.3rem}
`

function textsOf(language: LanguageCode) {
  const { sheets, archive } = serverTexts[language]
  return { ...sheets, ...archive }
}

async function* pageOf(
  game: ArchivedGame,
  root: string,
  title: string,
  parts: Iterable<Html> | AsyncIterable<Html>,
): AsyncGenerator<Html> {
  const words = textsOf(game.language)
  yield html`<!doctype html>
<html lang="${game.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'">
<title>${title === game.title ? title : `${title} · ${game.title}`}</title><link rel="stylesheet" href="${root}style.css"></head><body>
<nav><a href="${root}index.html">${words.scoreboard}</a><a href="${root}challenges.html">${words.challenges}</a>${
    game.writeups.length > 0 ? html`<a href="${root}writeups.html">${words.writeups}</a>` : ''
  }</nav><main>
<h1><bdi>${title}</bdi></h1>
`
  yield* parts
  yield html`</main></body></html>
`
}

function header(columns: readonly string[], numbers: number): Html {
  return html`<div class="scroll"><table><thead><tr>${columns.map((column, index) =>
    index >= columns.length - numbers ? html`<th class="n">${column}</th>` : html`<th>${column}</th>`,
  )}</tr></thead><tbody>`
}
const footer = html`</tbody></table></div>`

function timeOf(time: string): string {
  return time === noSubmissionTime ? '' : formatUtcTime(new Date(time))
}

async function* boardParts({ board, content, startsAt, endsAt, fileOf, render, language }: ArchivedGame): AsyncGenerator<Html> {
  const words = textsOf(language)
  yield html`<p class="muted">${formatUtcTime(startsAt)} – ${formatUtcTime(endsAt)}</p><div class="content">${await render(content, fileOf)}</div>`
  const lines = board.timeLines.all ?? []
  if (lines.some(({ items }) => items.length > 0))
    yield html`<h2>${words.timeline}</h2><div class="scroll">${renderTimelineSvg(lines, startsAt, endsAt, words.timeline)}</div><ul class="legend">${lines.map(
      ({ name }, place) =>
        html`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill="${lineColorAt(place)}"/></svg><bdi>${name}</bdi></li>`,
    )}</ul>`
  const hasDivisions = board.items.some(({ organization }) => organization !== null)
  const division = ({ organization }: ScoreboardTeam) => (hasDivisions ? html`<td><bdi>${organization ?? ''}</bdi></td>` : '')
  yield html`<h2>${words.scoreboard}</h2>`
  yield header([words.rank, words.team, ...(hasDivisions ? [words.division] : []), words.score, words.solved, words.lastSolve], 3)
  for (const team of board.items)
    yield html`<tr><td>${team.rank || '–'}</td><td><bdi>${team.name}</bdi></td>${division(team)}<td class="n">${team.score}</td><td class="n">${team.solvedCount}</td><td class="n">${timeOf(team.lastSubmissionTime)}</td></tr>
`
  yield footer
}

function* challengeListParts({ board, language }: ArchivedGame): Generator<Html> {
  const words = textsOf(language)
  for (const [category, list] of Object.entries(board.challenges)) {
    yield html`<h2>${category}</h2>`
    yield header([words.challenge, words.solved, words.score], 2)
    for (const { id, title, solved, score } of list)
      yield html`<tr><td><a href="challenges/${id}.html"><bdi>${title}</bdi></a></td><td class="n">${solved}</td><td class="n">${score}</td></tr>
`
    yield footer
  }
}

async function* challengeParts(game: ArchivedGame, category: string, { id, score }: BoardChallenge): AsyncGenerator<Html> {
  const words = textsOf(game.language)
  const { content = '', hints = [], attachment } = game.challenges.get(id) ?? {}
  const fileOf: FileAddress = (hash) => {
    const address = game.fileOf(hash)
    return address === undefined ? undefined : `../${address}`
  }
  yield html`<p class="muted">${category} · ${words.score}: ${score}</p><div class="content">${await game.render(content, fileOf)}</div>`
  if (attachment) {
    const isFile = !/^https?:/i.test(attachment.address)
    const address = isFile ? `../${attachment.address}` : attachment.address
    yield html`<p>${words.attachment}: <a href="${address}" rel="noreferrer"><bdi>${attachment.name}</bdi></a></p>`
  }
  if (hints.length > 0) yield html`<h2>${words.hints}</h2>`
  for (const hint of hints) yield await game.render(hint, fileOf)
  yield html`<h2>${words.solved}</h2>`
  yield header([words.team, words.time, words.score], 2)
  const solves = game.board.items.flatMap(({ name, solvedChallenges }) =>
    solvedChallenges.filter((solve) => solve.id === id).map((solve) => ({ name, ...solve })),
  )
  for (const solve of solves.toSorted((left, right) => Date.parse(left.time) - Date.parse(right.time)))
    yield html`<tr><td><bdi>${solve.name}</bdi></td><td class="n">${timeOf(solve.time)}</td><td class="n">${solve.score}</td></tr>
`
  yield footer
}

function* writeupParts({ writeups }: ArchivedGame): Generator<Html> {
  yield html`<ul>${writeups.map(({ team, address }) => html`<li><a href="${address}"><bdi>${team}</bdi></a></li>`)}</ul>`
}

/** Returns the pages of the archive. Each page is rendered when its content is read. */
export function createArchivePages(game: ArchivedGame): Page[] {
  const words = textsOf(game.language)
  const challenges = Object.entries(game.board.challenges).flatMap(([category, list]) =>
    list.map((challenge) => ({ category, challenge })),
  )
  return [
    { path: 'index.html', parts: () => pageOf(game, '', game.title, boardParts(game)) },
    { path: 'challenges.html', parts: () => pageOf(game, '', words.challenges, challengeListParts(game)) },
    ...challenges.map(({ category, challenge }) => ({
      path: `challenges/${challenge.id}.html`,
      parts: () => pageOf(game, '../', challenge.title, challengeParts(game, category, challenge)),
    })),
    ...(game.writeups.length > 0
      ? [{ path: 'writeups.html', parts: () => pageOf(game, '', words.writeups, writeupParts(game)) }]
      : []),
  ]
}
