// Checks captcha answers with the captcha provider.
import { Problem } from '@capstan/contract/problems'
import type { FastifyBaseLogger } from 'fastify'
import type { CaptchaConfig } from '../config.ts'
import type { ServerDeps } from '../deps.ts'
import { readSettings } from '../settings/service.ts'
import { redeemProofOfWork } from './proof-of-work.ts'

type Provider = Exclude<CaptchaConfig['provider'], 'None' | 'HashPow'>

const defaultVerifyUrls: Readonly<Record<Provider, string>> = {
  GoogleRecaptcha: 'https://www.google.com/recaptcha/api/siteverify',
  CloudflareTurnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

const verifyTimeoutMs = 5_000

type Verdict = Readonly<{
  success?: unknown
  score?: unknown
}>

/** True if a captcha provider is configured, with the public key that clients need. Proof of work needs no key. */
export function isCaptchaConfigured(
  captcha: CaptchaConfig,
): captcha is CaptchaConfig & { readonly provider: Provider | 'HashPow' } {
  return captcha.provider === 'HashPow' || (captcha.provider !== 'None' && captcha.siteKey !== '')
}

/** Returns true if the provider reports success and, for reCAPTCHA, a score of at least the threshold. */
function isPassed(verdict: Verdict, config: Pick<CaptchaConfig, 'provider' | 'scoreThreshold'>): boolean {
  if (verdict.success !== true) return false
  if (config.provider !== 'GoogleRecaptcha') return true
  return typeof verdict.score === 'number' && verdict.score >= config.scoreThreshold
}

type CaptchaDeps = Pick<ServerDeps, 'db' | 'clock' | 'config'> & Readonly<{ log: Pick<FastifyBaseLogger, 'warn'> }>

async function ask(url: string, secret: string, answer: string, address: string): Promise<Verdict> {
  const response = await fetch(url, {
    method: 'POST',
    // Do not follow redirects, because the server of another address would get the secret key.
    redirect: 'error',
    body: new URLSearchParams({ secret, response: answer, remoteip: address }),
    signal: AbortSignal.timeout(verifyTimeoutMs),
  })
  if (!response.ok) throw new Error(`The captcha provider answered ${response.status}`)
  return (await response.json()) as Verdict
}

/** Returns the verdict of the provider, or false if the provider is unreachable. */
async function askProvider({ config: { captcha }, log }: CaptchaDeps, provider: Provider, answer: string, address: string) {
  const url = captcha.verifyUrl ?? defaultVerifyUrls[provider]
  const verdict = await ask(url, captcha.secretKey, answer, address).catch((error: unknown): Verdict => {
    log.warn({ err: error, provider }, 'Could not check a captcha')
    return {}
  })
  return isPassed(verdict, captcha)
}

/**
 * Checks a captcha answer. Accepts any answer if captchas are off or incompletely configured.
 * @param answer field `challenge` of the request body
 * @throws Problem `captcha.failed` if the answer is wrong or the provider is unreachable
 */
export async function checkCaptcha(deps: CaptchaDeps, answer: string | null | undefined, address: string): Promise<void> {
  const { captcha } = deps.config
  if (!isCaptchaConfigured(captcha) || (captcha.provider !== 'HashPow' && captcha.secretKey === '')) return
  if (!(await readSettings(deps)).accountPolicy.useCaptcha) return
  if (!answer) throw new Problem('captcha.failed')
  const isRight =
    captcha.provider === 'HashPow'
      ? await redeemProofOfWork(deps, answer)
      : await askProvider(deps, captcha.provider, answer, address)
  if (!isRight) throw new Problem('captcha.failed')
}
