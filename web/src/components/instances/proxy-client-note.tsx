import { Trans, useTranslation } from 'react-i18next'
import styles from './instances.module.css'

/** Where the program of the commands comes from. */
const proxyClientPage = 'https://github.com/vi/websocat#installation'

/** What the program of the commands is, and where one gets it. */
export function ProxyClientNote() {
  const { t } = useTranslation('instances')
  return (
    <p className={styles.note}>
      <Trans
        t={t}
        i18nKey="proxyClient"
        components={{
          code: <code />,
          // biome-ignore lint/a11y/useAnchorContent: filled by the text
          a: <a href={proxyClientPage} target="_blank" rel="noopener noreferrer" />,
        }}
      />
    </p>
  )
}
