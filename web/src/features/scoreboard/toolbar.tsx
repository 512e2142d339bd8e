import { Download, History, Projector } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { PastBoard } from '../../components/board/past-board.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Select } from '../../components/ui/input.tsx'
import { createLazyMenu } from '../../components/ui/lazy-menu.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import styles from './scoreboard.module.css'
import { overall } from './standings.ts'

const ExportMenu = createLazyMenu(() => import('./export-menu.tsx').then((file) => file.ExportMenu))

type DivisionSwitchProps = Readonly<{
  divisions: readonly string[]
  division: string
  onDivision: (division: string) => void
}>

const maxSegments = 4

export function DivisionSwitch({ divisions, division, onDivision }: DivisionSwitchProps) {
  const { t } = useTranslation('scoreboard')
  if (divisions.length === 0) return null
  const options = [{ value: overall, label: t('division.all') }, ...divisions.map((name) => ({ value: name, label: name }))]
  const fits = options.length <= maxSegments && divisions.join('').length <= 40
  return (
    <div className={styles.division}>
      {fits && (
        <div className="hidden-on-phone">
          <SegmentedControl label={t('division.label')} value={division} onValueChange={onDivision} options={options} />
        </div>
      )}
      <div className={fits ? 'only-on-phone' : undefined}>
        <Select aria-label={t('division.label')} value={division} onValueChange={onDivision} options={options} />
      </div>
    </div>
  )
}

type BoardActionsProps = Readonly<{
  gameId: number
  onProjector: () => void
  onPicture: () => void
  onEmbed: () => void
  past: Pick<PastBoard, 'isOpen' | 'toggle'>
}>

export function BoardActions({ gameId, onProjector, onPicture, onEmbed, past }: BoardActionsProps) {
  const { t } = useTranslation('scoreboard')
  return (
    <div className={cx('row gap-2', styles.actions)}>
      <ExportMenu
        trigger={
          <Button size="small">
            <Download aria-hidden />
            {t('action.export')}
          </Button>
        }
        gameId={gameId}
        onPicture={onPicture}
        onEmbed={onEmbed}
      />
      <Button size="small" aria-pressed={past.isOpen} onClick={past.toggle}>
        <History aria-hidden />
        {t('action.past')}
      </Button>
      <Button size="small" onClick={onProjector}>
        <Projector aria-hidden />
        {t('action.projector')}
      </Button>
    </div>
  )
}
