import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import type { GamePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { serverTexts } from '@capstan/contract/server-texts'
import { escapeHtml } from '@capstan/http/escape-html'
import { makeBadge } from 'badge-maker'
import type { Board } from '../scoreboard/board.ts'

/** Public ranks and scores of a game, for other websites. */
export type Standing = Readonly<{
  game: string
  phase: GamePhase
  /** Board that visitors see. Undefined before the start of the game. */
  board: Board | undefined
  language: LanguageCode
}>

/** Seconds after which the page in a frame reloads itself. */
const refreshSeconds = 60

function phaseText({ phase, board, language }: Standing): string {
  const { phases } = serverTexts[language].feeds
  return board?.frozenAt ? phases.frozen : phases[phase]
}

const style = `
  :root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif; }
  body { margin: 0; padding: 12px; color: CanvasText; background: Canvas; }
  header { display: flex; flex-wrap: wrap; gap: 0 12px; justify-content: space-between; margin-bottom: 8px; }
  h1 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
  a { color: inherit; }
  table { width: 100%; border-collapse: collapse; }
  th, td { padding: 4px 6px; text-align: start; border-top: 1px solid color-mix(in srgb, CanvasText 15%, transparent); }
  th { font-weight: 600; }
  .number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
  .team { overflow-wrap: anywhere; }
`

/**
 * Returns a page with the first teams of a game. The page contains no script, and reloads itself each minute.
 * @param address address of the full scoreboard
 */
export function writeEmbeddableStandings(standing: Standing, count: number, address: string): string {
  const { board, game, language } = standing
  const { sheets, feeds } = serverTexts[language]
  const number = new Intl.NumberFormat(language)
  const teams = board?.leaders(count).filter(({ rank }) => rank > 0) ?? []
  const rowOf = ({ rank, name, score }: ScoreboardTeam) =>
    `<tr><td class="number">${number.format(rank)}</td><td class="team"><bdi>${escapeHtml(name)}</bdi></td><td class="number">${number.format(score)}</td></tr>`
  const head = `<tr><th class="number" scope="col">${sheets.rank}</th><th scope="col">${sheets.team}</th><th class="number" scope="col">${sheets.score}</th></tr>`
  const content =
    teams.length === 0
      ? `<p>${feeds.noTeams}</p>`
      : `<table><thead>${head}</thead><tbody>${teams.map(rowOf).join('')}</tbody></table>`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${refreshSeconds}">
<title>${escapeHtml(game)}</title>
<style>${style}</style>
</head>
<body>
<header><h1><a href="${escapeHtml(address)}" target="_blank" rel="noopener"><bdi>${escapeHtml(game)}</bdi></a></h1><span>${phaseText(standing)}</span></header>
${content}
</body>
</html>
`
}

function shortened(text: string): string {
  const letters = [...text.toWellFormed()]
  return letters.length > Limits.maxBadgeNameLength
    ? `${letters.slice(0, Limits.maxBadgeNameLength - 1).join('')}…`
    : letters.join('')
}

/**
 * Returns a picture with the phase of a game, or with the rank and score of a team.
 * @throws Problem `team.unknown` if the team is not on the scoreboard
 */
export function writeBadgeSvg(standing: Standing, teamId: number | undefined): string {
  const { board, game, phase, language } = standing
  if (teamId === undefined || !board)
    return makeBadge({
      label: shortened(game),
      message: phaseText(standing),
      color: phase === 'running' ? 'brightgreen' : phase === 'upcoming' ? 'blue' : 'lightgrey',
    })
  const team = board.standingOf(teamId)
  if (!team) throw new Problem('team.unknown')
  const number = new Intl.NumberFormat(language)
  const { score } = serverTexts[language].sheets
  const rank = team.rank > 0 ? `#${number.format(team.rank)} · ` : ''
  return makeBadge({ label: shortened(team.name), message: `${rank}${score} ${number.format(team.score)}`, color: 'blue' })
}
