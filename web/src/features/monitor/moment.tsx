import type { Column } from '../../components/ui/data-table.tsx'
import { serverNow } from '../../lib/clock.ts'
import { formatDate, formatExactTime, formatListTime } from '../../lib/format.ts'
import { isGameLongerThanDay, useGame, useGameId } from '../../lib/game.ts'

/**
 * Returns a table column of times. It includes the date if the game lasts longer than a day, or if the time is not today. The exact
 * time is in a title attribute, because tooltips for a thousand rows would be slow.
 */
export function useTimestampColumn(): <Row>(head: string, atOf: (row: Row) => string) => Column<Row> {
  const { data: game } = useGame(useGameId())
  const hasDay = game !== undefined && isGameLongerThanDay(game)
  return (head, atOf) => ({
    head,
    bare: true,
    className: 'nowrap',
    width: '1px',
    cell: (row) => <Moment at={atOf(row)} hasDay={hasDay} />,
  })
}

function Moment({ at, hasDay }: Readonly<{ at: string; hasDay: boolean }>) {
  return (
    <time dateTime={at} title={formatExactTime(at)} className="code number">
      {formatListTime(at, hasDay || formatDate(at) !== formatDate(serverNow()))}
    </time>
  )
}
