declare const __BUILD__: {
  readonly version: string
  readonly commit: string
  /** Instant, ISO. */
  readonly builtAt: string
  /** Address of the source repository; undefined where the build names none. */
  readonly repository?: string
}

/** What this build was made from. */
export const build = __BUILD__

/** Pages of the project. */
export interface ProjectPages {
  readonly source: string
  /** Where faults are reported. */
  readonly issues: string
  readonly translation: string
}

/** The platform's own page of docs, where no repository is named. */
export const docsPage = '/api/docs'

const isAddress = (text: string | undefined): text is string => text !== undefined && /^https?:\/\//.test(text)

/**
 * Pages of a repository; undefined without one.
 * @param candidates the first that is an address counts
 */
export const pagesOf = (...candidates: readonly (string | undefined)[]): ProjectPages | undefined => {
  const repository = candidates.find(isAddress)?.replace(/\/$/, '')
  return repository === undefined
    ? undefined
    : { source: repository, issues: `${repository}/issues`, translation: `${repository}/tree/main/web/src/locales` }
}

const told = typeof document === 'undefined' ? null : document.querySelector<HTMLMetaElement>('meta[name=repository]')

/** Pages of the project: of the repository that this deployment names, else of that which the build was made from. */
export const projectPages = pagesOf(told?.content, build.repository)

/** A build tag counts only as vX.Y.Z or `develop`. */
export const isBuildTag = (tag: string): boolean => tag === 'develop' || /^v\d+\.\d+\.\d+$/.test(tag)

/** The version to show; a build of unknown origin says so. */
export const shownVersion = (tag: string = build.version): string => (isBuildTag(tag) ? tag : 'unknown build')

/** The banner in the console at start. */
export function writeBanner(log: (text: string, ...styles: string[]) => void, pages: ProjectPages | undefined): void {
  const more = pages
    ? `source   ${pages.source}\nissues   ${pages.issues}`
    : `docs     ${new URL(docsPage, location.origin).href}`
  log(
    `%cCapstan%c ${shownVersion()}\ncommit   ${build.commit}\nbuilt    ${build.builtAt}\n${more}`,
    'font: 700 20px system-ui; color: #5cb8d6',
    'font: 13px ui-monospace, monospace',
  )
}
