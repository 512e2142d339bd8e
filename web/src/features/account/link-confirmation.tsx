import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { ApiError } from '../../lib/http.ts'
import { decodeEmailFromLink } from './email.ts'
import { AccountLayout } from './sheet.tsx'

type LinkConfirmationProps = Readonly<{
  area: 'verify' | 'confirm'
  /**
   * Sends the token and the email address from the mailed link to the server.
   * @returns the address to open next, or undefined to remain on the page
   */
  confirm: (link: { token: string; email: string }) => Promise<string | undefined>
}>

/** Page that a mailed link opens. It requires a click, so that a mail scanner cannot confirm the link. */
export function LinkConfirmation({ area, confirm }: LinkConfirmationProps) {
  const { t } = useTranslation('account')
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const token = search.get('token')
  const encoded = search.get('email')
  const email = decodeEmailFromLink(encoded)
  const action = useAction(async () => {
    const target = await confirm({ token: token ?? '', email: encoded ?? '' })
    showToast({ tone: 'ok', title: t(`${area}.done`) })
    if (target !== undefined) await navigate(target, { replace: true })
  })
  const badLink = !token || !email || (action.error instanceof ApiError && action.error.httpStatus === 401)
  return (
    <AccountLayout title={t(`${area}.title`)}>
      <div className="stack">
        {badLink ? (
          <Alert tone="bad" title={t('link.badTitle')}>
            {t('link.badText')}
          </Alert>
        ) : (
          <>
            <p className="muted wrap-anywhere">{t(`${area}.text`, { email })}</p>
            {action.error !== undefined && (
              <Alert tone="bad" title={t(`${area}.failed`)}>
                <ErrorText error={action.error} />
              </Alert>
            )}
            <Button variant="primary" wide busy={action.busy} onClick={() => void action.run()}>
              {t(`${area}.submit`)}
            </Button>
          </>
        )}
      </div>
    </AccountLayout>
  )
}
