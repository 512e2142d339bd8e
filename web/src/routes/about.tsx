import { useTranslation } from 'react-i18next'
import { PageLayout } from '../components/layout/page.tsx'
import { CapstanLogo } from '../components/mark.tsx'
import { ButtonAnchor } from '../components/ui/button.tsx'
import { Card } from '../components/ui/card.tsx'
import { NamedValue, NamedValueList } from '../components/ui/facts.tsx'
import { RelativeTime } from '../components/ui/time.tsx'
import styles from '../features/home/about.module.css'
import { build, docsPage, getShownVersion, projectPages } from '../lib/build.ts'
import { useConfig } from '../lib/config.ts'

export function Route() {
  const { t } = useTranslation('home')
  const { title, slogan } = useConfig()
  return (
    <PageLayout title={t('about.title')} width="narrow">
      <Card>
        <div className="stack gap-6">
          <div className="row">
            <span className={styles.mark}>
              <CapstanLogo size={44} />
            </span>
            <div className="grow">
              <h2>{title}</h2>
              <p className="muted">{slogan}</p>
            </div>
          </div>
          <p>{t('about.text')}</p>
          <NamedValueList kind="pairs">
            <NamedValue name={t('about.version')}>{getShownVersion()}</NamedValue>
            <NamedValue name={t('about.commit')} className="mono">
              {build.commit}
            </NamedValue>
            <NamedValue name={t('about.builtAt')}>
              <RelativeTime at={build.builtAt} absolute />
            </NamedValue>
            <NamedValue name={t('about.licence')}>Apache-2.0</NamedValue>
          </NamedValueList>
          <div className="row gap-2">
            {projectPages ? (
              <>
                <ButtonAnchor href={projectPages.source} target="_blank" rel="noopener noreferrer">
                  {t('about.source')}
                </ButtonAnchor>
                <ButtonAnchor href={projectPages.issues} target="_blank" rel="noopener noreferrer">
                  {t('about.issues')}
                </ButtonAnchor>
              </>
            ) : (
              <ButtonAnchor href={docsPage} target="_blank" rel="noopener noreferrer">
                {t('about.docs')}
              </ButtonAnchor>
            )}
          </div>
        </div>
      </Card>
    </PageLayout>
  )
}
