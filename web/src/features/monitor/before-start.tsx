import { Radio } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../components/ui/states.tsx'
import { Countdown } from '../../components/ui/time.tsx'
import { formatDateTime, type Instant } from '../../lib/format.ts'

type BeforeStartProps = Readonly<{
  start: Instant
  /**
   * Text that explains what the page will show. The default text explains why the lists are empty before the start of the game.
   */
  children?: ReactNode
}>

/** Shows what the page will contain after the start of the game, and when the game starts. */
export function BeforeStartNote({ start, children }: BeforeStartProps) {
  const { t } = useTranslation('monitor')
  return (
    <EmptyState
      icon={Radio}
      title={t('before.title')}
      actions={
        <span className="stack gap-0 centered">
          <Countdown until={start} className="figure size-24" />
          <span className="small muted">{formatDateTime(start)}</span>
        </span>
      }
    >
      {children ?? t('before.text')}
    </EmptyState>
  )
}
