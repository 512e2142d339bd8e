import { Trans, useTranslation } from 'react-i18next'

const proxyClientPage = 'https://github.com/vi/websocat#installation'

/** Explains what the proxy client is and where to get it. */
export function ProxyClientNote() {
  const { t } = useTranslation('instances')
  return (
    <p className="muted small">
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
