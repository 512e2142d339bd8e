import type { ClientConfig } from '@capstan/contract/settings'

/** Platform settings in the index page, available before any script runs. */
export type PageSettings = Readonly<{
  title: string
  description: string
  /** URL of the source repository, from the admin settings or the deployment. */
  repository?: string | undefined
  /** Answer of `GET /api/config`, which saves the page a request. Absent while the api has not answered. */
  config?: ClientConfig | undefined
}>

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)
}

/**
 * Fills the placeholders of the built index page: `%title%`, `%description%`, `%repository%` and `%config%` (JSON, or `null`
 * while it is unknown) HTML-escaped, and `%nonce%` with a fresh nonce.
 */
export function renderIndexPage(template: string, settings: PageSettings, nonce: string): string {
  const values: Readonly<Record<string, string>> = {
    title: escapeHtml(settings.title),
    description: escapeHtml(settings.description),
    repository: escapeHtml(settings.repository ?? ''),
    config: escapeHtml(JSON.stringify(settings.config ?? null)),
    nonce,
  }
  return template.replaceAll(/%(title|description|repository|config|nonce)%/g, (_match, name: string) => values[name] ?? '')
}

/** Hosts of the captcha providers. They serve the only foreign scripts that a page may load, and only with the nonce. */
const captchaHosts = 'https://www.google.com https://www.gstatic.com https://www.recaptcha.net https://challenges.cloudflare.com'

/**
 * Returns a policy by which scripts need the nonce or a parent script that had it, and which forbids framing and foreign
 * connections.
 */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic' 'wasm-unsafe-eval'`,
    // KaTeX, charts and the terminal set style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    // Writeups are shown as PDF from memory (a blob whose type the client sets).
    `frame-src blob: ${captchaHosts}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
