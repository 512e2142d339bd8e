// Checks captcha answers with their provider.
import { Problem } from '@capstan/contract/problems'
import type { FastifyBaseLogger } from 'fastify'
import type { CaptchaConfig } from '../config.ts'
import type { ServerDeps } from '../deps.ts'
import { readSettings } from '../settings/service.ts'

type Provider = Exclude<CaptchaConfig['provider'], 'None'>

const defaultVerifyUrls: Readonly<Record<Provider, string>> = {
  GoogleRecaptcha: 'https://www.google.com/recaptcha/api/siteverify',
  CloudflareTurnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

const verifyTimeoutMs = 5_000

type Verdict = Readonly<{
  success?: unknown
  score?: unknown
}>

/** True if provider and public key are set, which clients need to show a captcha. */
export function isSetUp(captcha: CaptchaConfig): captcha is CaptchaConfig & { readonly provider: Provider } {
  return captcha.provider !== 'None' && captcha.siteKey !== ''
}

/** Returns true if the provider reports success and, for reCAPTCHA, a score of at least the threshold. */
function isPassed(verdict: Verdict, config: Pick<CaptchaConfig, 'provider' | 'scoreThreshold'>): boolean {
  if (verdict.success !== true) return false
  if (config.provider !== 'GoogleRecaptcha') return true
  return typeof verdict.score === 'number' && verdict.score >= config.scoreThreshold
}

type CaptchaDeps = Pick<ServerDeps, 'db' | 'blobs' | 'images' | 'clock' | 'config'> &
  Readonly<{ log: Pick<FastifyBaseLogger, 'warn'> }>

async function ask({ config }: Pick<CaptchaDeps, 'config'>, url: string, answer: string, address: string): Promise<Verdict> {
  const { captcha } = config
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ secret: captcha.secretKey, response: answer, remoteip: address }),
    signal: AbortSignal.timeout(verifyTimeoutMs),
  })
  if (!response.ok) throw new Error(`The captcha provider answered ${response.status}`)
  return (await response.json()) as Verdict
}

/**
 * Checks a captcha answer. Accepts any answer if captchas are off or incompletely configured.
 * @param answer `challenge` of the request
 * @throws Problem `captcha.failed`, also if the provider is unreachable
 */
export async function checkCaptcha(
  deps: Pick<CaptchaDeps, 'config' | 'db' | 'log'>,
  answer: string | null | undefined,
  address: string,
): Promise<void> {
  const { config, log } = deps
  const { captcha } = config
  if (!isSetUp(captcha) || captcha.secretKey === '') return
  if (!(await readSettings(deps)).accountPolicy.useCaptcha) return
  if (!answer) throw new Problem('captcha.failed')
  const url = captcha.verifyUrl ?? defaultVerifyUrls[captcha.provider]
  const verdict = await ask(deps, url, answer, address).catch((error: unknown): Verdict => {
    log.warn({ err: error, provider: captcha.provider }, 'Could not check a captcha')
    return {}
  })
  if (!isPassed(verdict, captcha)) throw new Problem('captcha.failed')
}
