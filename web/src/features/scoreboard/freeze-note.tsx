import type { GameDetail } from '@capstan/contract/games'
import { isFrozen } from '@capstan/contract/phases'
import { Snowflake } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../lib/format.ts'

function instantOf(ms: number | null | undefined) {
  return ms == null ? null : new Date(ms)
}

/** Line above a frozen scoreboard. It is absent outside a freeze. */
export function FreezeNote({ game, now }: { readonly game: Pick<GameDetail, 'freeze' | 'revealed'>; readonly now: number }) {
  const { t } = useTranslation('scoreboard')
  const times = { freeze: instantOf(game.freeze), revealed: instantOf(game.revealed) }
  if (!times.freeze || !isFrozen(new Date(now), times)) return null
  return (
    <p className="row small muted" role="status">
      <Snowflake aria-hidden className="icon" />
      {t('frozen', { at: formatDateTime(times.freeze.getTime()) })}
    </p>
  )
}
