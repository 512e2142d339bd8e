import type { BoardView } from '@capstan/contract/board-view'
import type { GameDetail } from '@capstan/contract/games'
import { hasRole } from '@capstan/contract/roles'
import { Snowflake } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'
import { findFreezeInstant } from '../../lib/game.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useSession } from '../../lib/session.ts'
import { SegmentedControl } from '../ui/tabs.tsx'
import { useClockValue } from '../ui/time.tsx'

export type BoardChoice = Readonly<{
  view: BoardView
  /** Function that changes the view of the board. Undefined if the user cannot choose a view. */
  choose: ((view: BoardView) => void) | undefined
}>

/**
 * Returns the instant at which the board froze, in ms.
 * @returns undefined before the freeze and after the reveal, when players see the live board
 */
export function useFrozenSince(game: Pick<GameDetail, 'freeze' | 'revealed'> | undefined): number | undefined {
  return useClockValue((now) => game && findFreezeInstant(game, now))
}

/**
 * Reads the board that the address selects. Only users with the role monitor can select a board, and only while the public board
 * is frozen.
 * @param preferred board to use if the address selects none. The default is the public board
 */
export function useBoardChoice(game: GameDetail | undefined, preferred: BoardView = 'public'): BoardChoice {
  const { role } = useSession()
  const { value, setValue } = useQueryChoice<BoardView>('view', preferred === 'live' ? ['live', 'public'] : ['public', 'live'])
  const isFrozen = useFrozenSince(game) !== undefined
  const canChoose = isFrozen && hasRole(role, 'Monitor')
  return { view: canChoose ? value : 'public', choose: canChoose ? setValue : undefined }
}

type FreezeNoteProps = Readonly<{
  /** Instant at which the board froze, in ms. */
  since: number
  choice: BoardChoice
  /** Number of solves of the user's team since the freeze. Undefined for users without a team in the game. */
  ownLater?: number | undefined
}>

/** Note that the scoreboard is frozen. Users with the role Monitor can switch to the live scoreboard. */
export function FreezeNote({ since, choice: { view, choose }, ownLater }: FreezeNoteProps) {
  const { t } = useTranslation('scoreboard')
  const at = formatDateTime(since)
  return (
    <div className="row">
      {choose && (
        <SegmentedControl
          label={t('freeze.view')}
          value={view}
          onValueChange={choose}
          options={[
            { value: 'live', label: t('freeze.live') },
            { value: 'public', label: t('freeze.frozen') },
          ]}
        />
      )}
      <p className="row small muted" role="status">
        <Snowflake aria-hidden className="icon" />
        <span className="grow">
          {view === 'live' ? t('freeze.onlyMonitors', { at }) : t('frozen', { at })}
          {ownLater !== undefined && ` ${ownLater > 0 ? t('freeze.own', { count: ownLater }) : t('freeze.ownCount')}`}
        </span>
      </p>
    </div>
  )
}
