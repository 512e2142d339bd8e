import type { ClientConfig } from '@capstan/contract/settings'

/** What the index page tells about the platform before any script runs. */
export interface PageSettings {
  readonly title: string
  readonly description: string
  /** Address of the source repository, where an admin or this deployment names one. */
  readonly repository?: string | undefined
  /** What `GET /api/config` answers, so that the page need not ask; absent while the api has not told it. */
  readonly config?: ClientConfig | undefined
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)

/**
 * Fills the placeholders of the built index page: `%title%`, `%description%`, `%repository%` and `%config%` (JSON, `null` where it is
 * not known) HTML-escaped, `%nonce%` with a fresh nonce.
 */
export const renderIndexPage = (template: string, settings: PageSettings, nonce: string): string => {
  const values: Readonly<Record<string, string>> = {
    title: escapeHtml(settings.title),
    description: escapeHtml(settings.description),
    repository: escapeHtml(settings.repository ?? ''),
    config: escapeHtml(JSON.stringify(settings.config ?? null)),
    nonce,
  }
  return template.replaceAll(/%(title|description|repository|config|nonce)%/g, (_match, name: string) => values[name] ?? '')
}

/** Hosts of the two captcha providers, the only foreign scripts a page may ever load, and only with the page's nonce. */
const captchaHosts = 'https://www.google.com https://www.gstatic.com https://www.recaptcha.net https://challenges.cloudflare.com'

/** Scripts need the nonce or come from scripts that had it; nothing may frame, post or connect elsewhere. */
export const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic' 'wasm-unsafe-eval'`,
    // KaTeX, charts and the terminal set style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    // Writeups are shown as PDF out of memory (a blob whose type the client sets).
    `frame-src blob: ${captchaHosts}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
