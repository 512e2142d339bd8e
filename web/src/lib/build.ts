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

/** Pages of a repository; undefined without one. */
export const pagesOf = (repository: string | undefined): ProjectPages | undefined =>
  repository
    ? { source: repository, issues: `${repository}/issues`, translation: `${repository}/tree/main/web/src/locales` }
    : undefined

/** Pages of the project this build was made from; undefined where the build names no repository. */
export const projectPages = pagesOf(build.repository)

/** A build tag counts only as vX.Y.Z or `develop`. */
export const isBuildTag = (tag: string): boolean => tag === 'develop' || /^v\d+\.\d+\.\d+$/.test(tag)

/** The version to show; a build of unknown origin says so. */
export const shownVersion = (tag: string = build.version): string => (isBuildTag(tag) ? tag : 'unknown build')

/** The banner in the console at start. */
export function writeBanner(log: (text: string, ...styles: string[]) => void, pages: ProjectPages | undefined): void {
  const issues = pages ? `\nissues   ${pages.issues}` : ''
  log(
    `%cCapstan%c ${shownVersion()}\ncommit   ${build.commit}\nbuilt    ${build.builtAt}${issues}`,
    'font: 700 20px system-ui; color: #5cb8d6',
    'font: 13px ui-monospace, monospace',
  )
}
