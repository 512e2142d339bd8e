import { useTranslation } from 'react-i18next'
import { InstanceLink } from '../../components/instances/instance-link.tsx'
import { cx } from '../../components/ui/cx.ts'
import { useNow } from '../../components/ui/time.tsx'
import { useGame, useTeamInstances } from '../../lib/game.ts'
import styles from './home.module.css'

/** Running instances of the user's team in a game, one per line. Renders nothing if there are none. */
export function RunningInstances({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation()
  const now = useNow()
  const { data: game } = useGame(gameId)
  const instances = useTeamInstances(game, now)
  if (instances.length === 0) return null
  return (
    <ul aria-label={t('game.instances')} className={cx('frame divided muted small', styles.instances)}>
      {instances.map((instance) => (
        <li key={instance.challengeId}>
          <InstanceLink gameId={gameId} instance={instance} now={now} withStarter className={styles.instance} />
        </li>
      ))}
    </ul>
  )
}
