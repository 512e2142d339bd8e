import { useTranslation } from 'react-i18next'
import { Mark } from '../../components/mark.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { useConfig } from '../../lib/config.ts'
import { paths } from '../../lib/paths.ts'
import styles from './home.module.css'

/** For a first visitor: three sentences and two buttons. */
export function Welcome() {
  const { t } = useTranslation(['home', 'common'])
  const { title } = useConfig()
  return (
    <div className={styles.welcome}>
      <div className={styles.welcomeText}>
        <h1>{title}</h1>
        <p>
          {t('home:welcome.one')} {t('home:welcome.two')} {t('home:welcome.three')}
        </p>
        <div className="row gap-2">
          <ButtonLink variant="primary" to={paths.register.to()}>
            {t('home:welcome.start')}
          </ButtonLink>
          <ButtonLink to={paths.login.to()}>{t('common:action.logIn')}</ButtonLink>
          <ButtonLink variant="ghost" to={paths.games.to()}>
            {t('home:welcome.look')}
          </ButtonLink>
        </div>
      </div>
      <div className={styles.emblem}>
        <Mark size={168} />
      </div>
    </div>
  )
}
