import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import type { Draft } from './use-draft.ts'

type ConflictAlertProps<Shape extends object> = Readonly<{
  draft: Pick<Draft<Shape>, 'conflicts' | 'keepMine' | 'takeTheirs'>
  labelOf: (field: keyof Shape) => string
}>

/**
 * Shows the fields that another user changed concurrently, and offers a choice. The alert scrolls into view. Renders nothing if
 * there is no conflict.
 */
export function ConflictAlert<Shape extends object>({ draft, labelOf }: ConflictAlertProps<Shape>) {
  const { t } = useTranslation('editing')
  const place = useRef<HTMLDivElement>(null)
  const count = draft.conflicts.length
  useEffect(() => {
    if (count > 0) place.current?.scrollIntoView({ block: 'nearest' })
  }, [count])
  if (count === 0) return null
  return (
    <div ref={place}>
      <Alert
        tone="warn"
        title={t('conflict', { count, names: draft.conflicts.map(labelOf).join(', ') })}
        actions={
          <>
            <Button size="small" onClick={draft.keepMine}>
              {t('keepMine')}
            </Button>
            <Button size="small" onClick={draft.takeTheirs}>
              {t('takeTheirs')}
            </Button>
          </>
        }
      >
        {t('conflictText')}
      </Alert>
    </div>
  )
}
