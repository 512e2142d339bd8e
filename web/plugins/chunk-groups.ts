import type { Rolldown } from 'vite'

type Groups = NonNullable<Exclude<Rolldown.OutputOptions['codeSplitting'], boolean | undefined>['groups']>

const packages = (names: string) => `node_modules/(${names})/(?!.*(locale|Trans))`
const sources = (folder: string, names: string) => `web/src/${folder}/(${names})\\.`
const any = (...parts: readonly string[]) => new RegExp(parts.join('|'))

/**
 * Which modules come in one file. Few files, each shared by many pages: a page needs at most fifteen, of which a player's next page
 * needs one or two. `first-load.ts` counts them. What the first groups take, the later ones do not.
 */
export const chunkGroups: Groups = [
  {
    name: 'vendor',
    test: any(
      packages(
        'react|react-dom|scheduler|react-router|swr|i18next|react-i18next|dayjs|zustand|fflate|use-sync-external-store|dequal',
      ),
    ),
  },
  // Of our own, what every page runs on and shows.
  {
    name: 'core',
    test: any(
      'web/src/stores/',
      sources(
        'lib',
        'build|cache|clock|config|csp|format|forget|game|http|i18n|languages|live|palette|paths|quiet|retry-once|server-state|session|shortcuts',
      ),
      sources('components', 'mark'),
      sources('components/layout', 'access|account-button|global-commands|not-found|page|shell'),
      sources(
        'components/ui',
        'avatar|badge|button|card|cx|inline-text|lazy-menu|live-region|skeleton|states|tabs|time|toast|toast-region|tooltip|tooltip-layer|tooltip-place',
      ),
    ),
  },
  // An icon that one page alone shows comes with it.
  { name: 'icons', test: any(packages('lucide-react')), minShareCount: 2 },
  // What pages of players are made of besides.
  {
    name: 'parts',
    test: any(
      sources('lib', 'clipboard|error-title|name-search|query-state|use-name-search'),
      sources('components/ui', 'category|copy-button|field|file-drop|form|input|markdown|progress|table'),
    ),
  },
  // What opens above a page.
  {
    name: 'overlay',
    test: any(
      packages(
        '@radix-ui/react-(slot|primitive|portal|presence|dismissable-layer|focus-scope|focus-guards|context|id|compose-refs|dialog|use-[\\w-]+)|react-remove-scroll|react-remove-scroll-bar|react-style-singleton|use-sidecar|use-callback-ref|aria-hidden|tslib',
      ),
      sources('components/ui', 'dialog|use-return-focus'),
    ),
  },
  // What pages and dialogs of one feature share.
  {
    name: (id) => /features\/([\w-]+)\//.exec(id)?.[1] ?? null,
    debugName: 'features',
    test: /web\/src\/features\/(account|challenges|posts|scoreboard)\//,
    minShareCount: 2,
  },
]
