import { useTranslation } from 'react-i18next'
import { Page } from '../components/layout/page.tsx'
import { Mark } from '../components/mark.tsx'
import { ButtonAnchor } from '../components/ui/button.tsx'
import { Card } from '../components/ui/card.tsx'
import { Fact, Facts } from '../components/ui/facts.tsx'
import { RelativeTime } from '../components/ui/time.tsx'
import styles from '../features/home/about.module.css'
import { build, docsPage, projectPages, shownVersion } from '../lib/build.ts'
import { useConfig } from '../lib/config.ts'

export function Route() {
  const { t } = useTranslation('home')
  const { title, slogan } = useConfig()
  return (
    <Page title={t('about.title')} width="narrow">
      <Card>
        <div className="stack gap-6">
          <div className="row">
            <span className={styles.mark}>
              <Mark size={44} />
            </span>
            <div className="grow">
              <h2>{title}</h2>
              <p className="muted">{slogan}</p>
            </div>
          </div>
          <p>{t('about.text')}</p>
          <Facts kind="pairs">
            <Fact name={t('about.version')}>{shownVersion()}</Fact>
            <Fact name={t('about.commit')} className="mono">
              {build.commit}
            </Fact>
            <Fact name={t('about.builtAt')}>
              <RelativeTime at={build.builtAt} absolute />
            </Fact>
            <Fact name={t('about.licence')}>Apache-2.0</Fact>
          </Facts>
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
    </Page>
  )
}
