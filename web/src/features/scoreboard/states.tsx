import type { GameDetail } from '@capstan/contract/games'
import { Hourglass } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { SearchInput } from '../../components/ui/input.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { Countdown } from '../../components/ui/time.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { useMediaQuery } from '../../lib/use-media.ts'

export function BeforeStartState({ game, now }: Readonly<{ game: GameDetail; now: number }>) {
  const { t } = useTranslation('scoreboard')
  const due = Date.parse(game.start) <= now
  return (
    <EmptyState
      icon={Hourglass}
      title={t('early.title')}
      actions={
        due ? (
          <p role="status">{t('early.due')}</p>
        ) : (
          <span className="stack gap-0 centered">
            <span className="small muted">{t('early.startsIn')}</span>
            <Countdown until={game.start} className="figure size-32" />
            <span className="small faint">{formatDateTime(game.start)}</span>
          </span>
        )
      }
    >
      {t('early.text')}
    </EmptyState>
  )
}

/** Placeholder of chart, headings and rows. Texts that are already known are in their final position. */
export function BoardSkeleton() {
  const { t } = useTranslation(['scoreboard', 'common'])
  const isPhone = useMediaQuery('(max-width: 640px)')
  return (
    <div className="stack gap-2" role="status" aria-label={t('common:loading')}>
      <Skeleton height={isPhone ? '300px' : '212px'} />
      {isPhone ? (
        <div inert>
          <SearchInput label={t('search.label')} placeholder={t('search.hint')} value="" onValueChange={() => undefined} />
        </div>
      ) : (
        <Skeleton height="76px" />
      )}
      <div className="stack gap-1">
        {Array.from({ length: 15 }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity
          <Skeleton key={row} height="30px" />
        ))}
      </div>
    </div>
  )
}
