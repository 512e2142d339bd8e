import type { Rolldown } from 'vite'

type Groups = NonNullable<Exclude<Rolldown.OutputOptions['codeSplitting'], boolean | undefined>['groups']>

function packages(names: string) {
  return `node_modules/(${names})/(?!.*(locale|Trans))`
}
function sources(folder: string, names: string) {
  return `web/src/${folder}/(${names})\\.`
}
function any(...parts: readonly string[]) {
  return new RegExp(parts.join('|'))
}

/** Icons that only category badges show. */
const categoryIcons = 'binary|blocks|braces|brain-circuit|bug|crosshair|fingerprint-pattern|microchip|puzzle|smartphone|telescope'
/** Icons that several organizer pages show, and that no player page shows. */
const organizersIcons =
  'arrow-(down|left|up)|cable|chevrons-up-down|circle-dashed|container|dices|file-archive|funnel-x|ellipsis|pause|radar|radio|scroll-text|square|timer-off'

/**
 * Groups of modules that share a file. Without groups, the bundler would create about a hundred files per page (ADR 57).
 * `first-load.ts` limits the number of files. A module belongs to the first matching group.
 */
export const chunkGroups: Groups = [
  // Two files of about the same size arrive sooner than one, because the browser loads them over two connections.
  { name: 'react', test: any(packages('react|react-dom|scheduler')) },
  {
    name: 'vendor',
    test: any(packages('react-router|swr|i18next|react-i18next|dayjs|zustand|fflate|use-sync-external-store|dequal')),
  },
  // Modules that every page needs, and the small modules of the game layout.
  {
    name: 'core',
    test: any(
      'node_modules/@fontsource-variable/',
      'web/src/styles/',
      'web/src/stores/(?!flag-)',
      sources(
        'lib',
        'breathe|build|cache|clock|config|csp|early/early-calls|early/early-loads|flag-results|format|forget|game|http|i18n|languages|live|opening|palette|paths|quiet|retry-once|server-state|session|shortcuts|type-ahead|use-media',
      ),
      'services/contract/src/registration\\.',
      sources('components', 'mark|poster|wheel'),
      sources('components/instances', 'instance-link|instance-summary'),
      sources(
        'components/layout',
        'access|account-button|connection-shown|flag-results|game-layout|global-commands|live-number|not-found|page|shell',
      ),
      sources(
        'components/ui',
        'avatar|badge|button|card|cx|facts|inline-text|lazy-menu|live-region|skeleton|states|tabs|time|toast|toast-region|tooltip|tooltips',
      ),
    ),
  },
  { name: 'organizers-icons', test: new RegExp(`node_modules/lucide-react/.*/(${organizersIcons})\\.`) },
  // Icons that several pages share. An icon that only one page shows is in the file of that page. Category icons load with the
  // challenges.
  { name: 'icons', test: new RegExp(`node_modules/lucide-react/(?!.*/(${categoryIcons})\\.)`), minShareCount: 2 },
  // Modules of player pages, such as Markdown and the copy button.
  {
    name: 'parts',
    test: any(
      'services/contract/src/formula\\.',
      sources('lib', 'clipboard'),
      sources('components/ui', 'copy-button|markdown'),
      sources('components/instances/terminal', 'terminals'),
      sources('features/game-overview', 'overview.module|writeup-anchor'),
    ),
  },
  {
    name: 'forms',
    test: any(
      sources('lib', 'error-title|name-search|problem-fields|query-state|use-name-search'),
      sources('components/editing', 'draft|use-draft'),
      sources('components/ui', 'field|file-drop|form|input|pagination|progress|refusal|table|use-user-name-fault'),
    ),
  },
  // Dialogs, menus and other layers above a page.
  {
    name: 'overlay',
    test: any(
      packages(
        '@radix-ui/react-(slot|primitive|portal|presence|dismissable-layer|focus-scope|focus-guards|context|id|compose-refs|dialog|use-[\\w-]+)|react-remove-scroll|react-remove-scroll-bar|react-style-singleton|use-sidecar|use-callback-ref|aria-hidden|tslib',
      ),
      sources('components/ui', 'avatar-dialog|crop|dialog|image-crop|use-return-focus'),
    ),
  },
  // Modules that the pages and dialogs of one feature share.
  {
    name: (id) => (id.includes('/components/board/') ? 'scoreboard' : (/features\/([\w-]+)\//.exec(id)?.[1] ?? 'challenges')),
    debugName: 'features',
    test: /web\/src\/(?:components\/(?:board\/|ui\/(?:blood-\w+|category|category-badge)\.)|features\/(account|challenges|posts|scoreboard|teams)\/)/,
    minShareCount: 2,
  },
  // Components of organizer pages. Without this group, the challenge editor would load each of them as a separate file.
  {
    name: 'organizers',
    test: any(
      'web/src/components/editing/(?!draft|use-draft)',
      sources('lib', 'before-start'),
      sources('components/ui', 'delete-dialog'),
      sources('features/admin-challenges', 'list-filter'),
      sources('features/admin-game', 'blood-bonus|game-form'),
    ),
    minShareCount: 2,
  },
]
