import type { ClientConfig } from '@capstan/contract/settings'
import { escapeHtml } from '@capstan/http/escape-html'

/** Content of the link preview that other sites show for the page of a game. */
export type GamePreview = Readonly<{
  id: number
  title: string
  summary: string
  /** Path of the poster. Null if there is no poster. */
  poster: string | null
}>

/** Content of the index page before any script runs. */
export type PageSettings = Readonly<{
  title: string
  description: string
  /** URL of the source repository, from the admin settings or the deployment. */
  repository?: string | undefined
  /** Response of `GET /api/config`, so that the page need not request it. Absent until the api has responded once. */
  config?: ClientConfig | undefined
  /** Origin of the platform. If it is absent, the page contains no absolute URLs. */
  origin?: string | undefined
  games?: readonly GamePreview[] | undefined
}>

/**
 * Returns the game to which the page at this path belongs. Pages of a game are at `/games/{id}` and below.
 * @returns undefined if the path belongs to no game, or if the game is not public
 */
function findPreviewedGame({ games = [] }: PageSettings, pathname: string): GamePreview | undefined {
  const [, id] = /^\/games\/(\d+)(?:\/|$)/.exec(pathname) ?? []
  return games.find((game) => String(game.id) === id)
}

/** Returns the description of a page and the Open Graph tags of its preview (https://ogp.me). */
function previewOf(settings: PageSettings, pathname: string) {
  const { origin } = settings
  const game = findPreviewedGame(settings, pathname)
  const description = game?.summary || settings.description
  const tags = [
    ['og:type', 'website'],
    ['og:site_name', settings.title],
    ['og:title', game?.title ?? settings.title],
    ...(description === '' ? [] : [['og:description', description]]),
    ...(origin === undefined ? [] : [['og:url', `${origin}${pathname}`]]),
    ...(origin === undefined || !game?.poster
      ? []
      : [
          ['og:image', `${origin}${game.poster}`],
          ['twitter:card', 'summary_large_image'],
        ]),
  ]
  const text = tags.map(([name = '', content = '']) => `<meta property="${name}" content="${escapeHtml(content)}" />`).join('')
  return { description, tags: text }
}

/**
 * Fills the placeholders of the built index page. `%title%`, `%description%`, `%repository%` and `%config%` (JSON, or `null` if
 * unknown) are HTML-escaped. `<!--preview-->` becomes the tags of the link preview, and `%nonce%` a fresh nonce.
 */
export function renderIndexPage(template: string, settings: PageSettings, nonce: string, pathname = '/'): string {
  const preview = previewOf(settings, pathname)
  const values: Readonly<Record<string, string>> = {
    title: escapeHtml(settings.title),
    description: escapeHtml(preview.description),
    repository: escapeHtml(settings.repository ?? ''),
    config: escapeHtml(JSON.stringify(settings.config ?? null)),
    nonce,
  }
  return template.replaceAll(/%(title|description|repository|config|nonce)%|<!--preview-->/g, (_match, name?: string) =>
    name === undefined ? preview.tags : (values[name] ?? ''),
  )
}

/** Hosts of the captcha providers. They are the only other sites that a frame on our pages may show. */
const captchaHosts = 'https://www.google.com https://www.gstatic.com https://www.recaptcha.net https://challenges.cloudflare.com'

/**
 * Returns a content security policy that allows a script only if it has the nonce, or if a script with the nonce loaded it. The
 * policy also forbids framing and connections to other sites.
 */
export function createContentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic' 'wasm-unsafe-eval'`,
    // Allow inline styles, because KaTeX, charts and the terminal set style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    // Allow `blob:`, because the web client shows writeups from memory, with the media type of PDF.
    `frame-src blob: ${captchaHosts}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
