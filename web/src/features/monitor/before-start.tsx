import { Radio } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../components/ui/states.tsx'
import { Countdown } from '../../components/ui/time.tsx'
import type { Instant } from '../../lib/format.ts'
import styles from './monitor.module.css'

/** Until the start the server refuses these reads. */
export function BeforeStart({ start }: { readonly start: Instant }) {
  const { t } = useTranslation('monitor')
  return (
    <EmptyState icon={Radio} title={t('before.title')} actions={<Countdown until={start} className={styles.countdown ?? ''} />}>
      {t('before.text')}
    </EmptyState>
  )
}
