import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type Action, useAction } from '../../components/ui/form.ts'
import type { CaptchaHandle } from './captcha.tsx'

/**
 * Returns an action that calls `perform` with the solution of the captcha, or with null if no captcha is required. If the user
 * has not solved the captcha, the action fails.
 */
export function useCaptchaAction(perform: (challenge: string | null) => Promise<unknown>) {
  const { t } = useTranslation('account')
  const captcha = useRef<CaptchaHandle>(null)
  const action: Action<[]> = useAction(async () => {
    const challenge = captcha.current ? await captcha.current.answer() : null
    if (challenge === undefined) throw new Error(t('captcha.wait'))
    try {
      await perform(challenge)
    } catch (error) {
      captcha.current?.reset()
      throw error
    }
  })
  return { ...action, captcha }
}
