import { useTranslation } from 'react-i18next'
import { Mark } from '../../components/mark.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { useConfig } from '../../lib/config.ts'
import { paths } from '../../lib/paths.ts'
import styles from './home.module.css'

/** For a first visitor: three sentences and two buttons. */
export function Welcome() {
  const { t } = useTranslation('home')
  const { title } = useConfig()
  return (
    <div className={styles.welcome}>
      <div className={styles.welcomeText}>
        <h1>{title}</h1>
        <p>
          {t('welcome.one')} {t('welcome.two')} {t('welcome.three')}
        </p>
        <div className="row gap-2">
          <ButtonLink variant="primary" to={paths.register.to()}>
            {t('welcome.start')}
          </ButtonLink>
          <ButtonLink to={paths.games.to()}>{t('welcome.look')}</ButtonLink>
        </div>
      </div>
      <div className={styles.emblem}>
        <Mark size={168} />
      </div>
    </div>
  )
}
