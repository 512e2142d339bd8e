import type { CaptchaProvider } from '@capstan/contract/accounts'
import { operations, ownOperations } from '@capstan/contract/operations'
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FieldError } from '../../components/ui/field.tsx'
import { findCspNonce } from '../../lib/csp.ts'
import { call } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import { resolveColorScheme, useColorScheme } from '../../stores/color-scheme.ts'
import styles from './account.module.css'
import { solveInWorker } from './solve-in-worker.ts'

export type CaptchaHandle = Readonly<{
  /**
   * Returns the solution of the captcha. Returns undefined if the user has not solved the captcha, and null if no captcha is
   * required.
   */
  answer: () => Promise<string | null | undefined>
  reset: () => void
}>

interface Turnstile {
  render(
    place: HTMLElement,
    options: { sitekey: string; theme: string; callback: (answer: string) => void; 'expired-callback': () => void },
  ): string
  reset(id: string): void
  remove(id: string): void
}

interface Recaptcha {
  ready(act: () => void): void
  execute(siteKey: string, options: { action: string }): Promise<string>
}

type Providers = { turnstile?: Turnstile; grecaptcha?: Recaptcha }

function scriptOf(type: CaptchaProvider, siteKey: string): string | undefined {
  return {
    None: undefined,
    HashPow: undefined,
    GoogleRecaptcha: `https://www.recaptcha.net/recaptcha/api.js?render=${encodeURIComponent(siteKey)}`,
    CloudflareTurnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  }[type]
}

/** Loads the script of a captcha provider once. If the captcha is off, the page contacts no provider. */
function useScript(address: string | undefined): 'none' | 'loading' | 'ready' | 'failed' {
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading')
  useEffect(() => {
    if (!address) return
    const known = document.querySelector<HTMLScriptElement>(`script[src="${CSS.escape(address)}"]`)
    const script = known ?? document.createElement('script')
    const done = () => {
      script.dataset.ready = 'true'
      setState('ready')
    }
    const failed = () => {
      script.remove()
      setState('failed')
    }
    if (script.dataset.ready) return setState('ready')
    script.addEventListener('load', done)
    script.addEventListener('error', failed)
    if (!known) {
      script.src = address
      script.async = true
      const nonce = findCspNonce()
      if (nonce) script.nonce = nonce
      document.head.append(script)
    }
    return () => {
      script.removeEventListener('load', done)
      script.removeEventListener('error', failed)
    }
  }, [address])
  return address ? state : 'none'
}

/** Captcha of the configured provider. Renders nothing if the captcha is off. */
export function Captcha({ action, handle }: Readonly<{ action: string; handle: RefObject<CaptchaHandle | null> }>) {
  const { t } = useTranslation('account')
  const { data, mutate } = useCall(operations.getCaptchaInfo)
  const type = data?.type ?? 'None'
  const siteKey = data?.siteKey ?? ''
  const script = useScript(data && scriptOf(type, siteKey))
  const scheme = useColorScheme(resolveColorScheme)
  const place = useRef<HTMLDivElement>(null)
  const widget = useRef<string>(undefined)
  const [token, setToken] = useState<string>()
  const [isSolving, setSolving] = useState(false)

  useEffect(() => {
    const { turnstile } = globalThis as Providers
    if (type !== 'CloudflareTurnstile' || script !== 'ready' || !place.current || !turnstile) return
    const id = turnstile.render(place.current, {
      sitekey: siteKey,
      theme: scheme,
      callback: setToken,
      'expired-callback': () => setToken(undefined),
    })
    widget.current = id
    return () => turnstile.remove(id)
  }, [type, script, siteKey, scheme])

  useImperativeHandle(
    handle,
    () => ({
      answer: async () => {
        // A browser may fill in and submit a form before the page knows the captcha provider, so wait for the response.
        const info = data ?? (await mutate())
        if (!info) return undefined
        if (info.type === 'None') return null
        if (info.type === 'HashPow') {
          setSolving(true)
          return call(ownOperations.createPowChallenge)
            .then(solveInWorker)
            .finally(() => setSolving(false))
        }
        const { grecaptcha } = globalThis as Providers
        if (type === 'CloudflareTurnstile') return token
        if (script !== 'ready' || !grecaptcha) return undefined
        await new Promise<void>((resolve) => grecaptcha.ready(resolve))
        return grecaptcha.execute(siteKey, { action })
      },
      reset: () => {
        setToken(undefined)
        if (widget.current) (globalThis as Providers).turnstile?.reset(widget.current)
      },
    }),
    [data, mutate, type, siteKey, script, token, action],
  )

  if (isSolving)
    return (
      <p role="status" className={styles.captcha}>
        {t('captcha.solving')}
      </p>
    )
  if (script === 'failed') return <FieldError>{t('captcha.failed')}</FieldError>
  return type === 'CloudflareTurnstile' ? <div ref={place} className={styles.captcha} /> : null
}
