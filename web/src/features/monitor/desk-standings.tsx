import type { GameDetail } from '@capstan/contract/games'
import { useTranslation } from 'react-i18next'
import { FreezeNote, useBoardChoice, useFrozenSince } from '../../components/board/board-view.tsx'
import { PastSlider, usePastBoard } from '../../components/board/past-board.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ErrorState } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useScoreboard } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import styles from './desk.module.css'
import { DashboardTile } from './desk-tile.tsx'
import { LinkedName } from './links.tsx'

const shownTeams = 10

/** Interval in ms at which the range of the time slider is extended to the present. */
const stepMs = 30_000

/** Leading teams at present or at a past minute. During a freeze, the list shows the live board by default. */
export function DeskStandings({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation('scoreboard')
  const since = useFrozenSince(game)
  const choice = useBoardChoice(game, 'live')
  const present = useScoreboard(game.id, { view: choice.view })
  const past = usePastBoard(game, useNow(stepMs), choice.view)
  const board = past.board ?? present.data
  const teams = (board?.items ?? []).filter(({ rank }) => rank > 0).slice(0, shownTeams)
  return (
    <DashboardTile title={t('table')}>
      {since !== undefined && <FreezeNote since={since} choice={choice} />}
      <PastSlider past={past} />
      {!board && present.error && <ErrorState error={present.error} onRetry={() => present.mutate()} />}
      <ol className={cx('aligned', styles.teams)}>
        {teams.map(({ id, name, rank, score }) => (
          <li key={id} className="leads">
            <span className="muted number">
              <span className="visually-hidden">{t('column.rank')} </span>#{formatNumber(rank)}
            </span>
            <span className="truncate">
              <LinkedName to={paths.monitorSubmissions.to(game.id, { team: id, status: 'Accepted' })}>{name}</LinkedName>
            </span>
            <b className="number">{formatNumber(score)}</b>
          </li>
        ))}
      </ol>
    </DashboardTile>
  )
}
