import { operations } from '@capstan/contract/operations'
import { Download, FileSpreadsheet, ImageDown, Projector } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/dropdown-menu.tsx'
import { Select } from '../../components/ui/input.tsx'
import { Segments } from '../../components/ui/tabs.tsx'
import { addressOf } from '../../lib/http.ts'
import { hasRole, useSession } from '../../lib/session.ts'
import styles from './scoreboard.module.css'
import { overall } from './standings.ts'

interface DivisionSwitchProps {
  readonly divisions: readonly string[]
  readonly division: string
  readonly onDivision: (division: string) => void
}

const segmentsMax = 4

/** All teams or one division; nothing to choose without divisions. */
export function DivisionSwitch({ divisions, division, onDivision }: DivisionSwitchProps) {
  const { t } = useTranslation('scoreboard')
  if (divisions.length === 0) return null
  const options = [{ value: overall, label: t('division.all') }, ...divisions.map((name) => ({ value: name, label: name }))]
  const fits = options.length <= segmentsMax && divisions.join('').length <= 40
  return (
    <div className={styles.division}>
      {fits && (
        <div className={styles.wideOnly}>
          <Segments label={t('division.label')} value={division} onValueChange={onDivision} options={options} />
        </div>
      )}
      <div className={fits ? styles.narrowOnly : undefined}>
        <Select aria-label={t('division.label')} value={division} onValueChange={onDivision} options={options} />
      </div>
    </div>
  )
}

interface BoardActionsProps {
  readonly gameId: number
  readonly onProjector: () => void
  readonly onPicture: () => void
}

export function BoardActions({ gameId, onProjector, onPicture }: BoardActionsProps) {
  const { t } = useTranslation('scoreboard')
  const { role } = useSession()
  return (
    <div className="row gap-2">
      <Menu
        trigger={
          <Button>
            <Download aria-hidden />
            {t('action.export')}
          </Button>
        }
      >
        <MenuItem icon={<ImageDown aria-hidden />} end={t('action.imageHint')} onSelect={onPicture}>
          {t('action.image')}
        </MenuItem>
        {hasRole(role, 'Monitor') && (
          <MenuItem
            icon={<FileSpreadsheet aria-hidden />}
            end={t('action.sheetHint')}
            onSelect={() => location.assign(addressOf(operations.downloadScoreboard, { params: { id: gameId } }))}
          >
            {t('action.sheet')}
          </MenuItem>
        )}
      </Menu>
      <Button onClick={onProjector}>
        <Projector aria-hidden />
        {t('action.projector')}
      </Button>
    </div>
  )
}
