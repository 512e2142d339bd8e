import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'

export function PublicKeyCard({ publicKey }: { readonly publicKey: string }) {
  const { t } = useTranslation('admin-game')
  return (
    <Card title={t('key.title')} actions={<CopyButton text={publicKey} label={t('key.copy')} withText />}>
      <div className="stack gap-2">
        <code className="well tiny wrap-anywhere">{publicKey}</code>
        <p className="small muted">{t('key.text')}</p>
      </div>
    </Card>
  )
}
