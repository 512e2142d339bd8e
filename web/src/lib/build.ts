declare const __BUILD__: Readonly<{
  version: string
  commit: string
  builtAt: string
  /** URL of the source repository, or undefined if the build has none. */
  repository?: string
}>

export const build = __BUILD__

export type ProjectPages = Readonly<{
  source: string
  issues: string
  translation: string
}>

/** Docs page of the platform, for builds that have no repository. */
export const docsPage = '/api/docs'

function isAddress(text: string | undefined): text is string {
  return text !== undefined && /^https?:\/\//.test(text)
}

/**
 * Returns the page addresses of the first valid repository URL, or undefined if no URL is valid.
 * @param candidates possible URLs
 */
export function toProjectPages(...candidates: readonly (string | undefined)[]): ProjectPages | undefined {
  const repository = candidates.find(isAddress)?.replace(/\/$/, '')
  return repository === undefined
    ? undefined
    : { source: repository, issues: `${repository}/issues`, translation: `${repository}/tree/main/web/src/locales` }
}

const repositoryMeta = typeof document === 'undefined' ? null : document.querySelector<HTMLMetaElement>('meta[name=repository]')

/** Page addresses of the project. The deployment's repository has priority over the build's repository. */
export const projectPages = toProjectPages(repositoryMeta?.content, build.repository)

export function isBuildTag(tag: string): boolean {
  return tag === 'develop' || /^v\d+\.\d+\.\d+$/.test(tag)
}

/** Returns the version to show, or a text that says that the build is unknown. */
export function getShownVersion(tag: string = build.version): string {
  return isBuildTag(tag) ? tag : 'unknown build'
}

export function writeConsoleBanner(log: (text: string, ...styles: string[]) => void, pages: ProjectPages | undefined): void {
  const more = pages
    ? `source   ${pages.source}\nissues   ${pages.issues}`
    : `docs     ${new URL(docsPage, location.origin).href}`
  log(
    `%cCapstan%c ${getShownVersion()}\ncommit   ${build.commit}\nbuilt    ${build.builtAt}\n${more}`,
    'font: 700 20px system-ui; color: #5cb8d6',
    'font: 13px ui-monospace, monospace',
  )
}
