import { fileURLToPath } from 'node:url'
import { operations, ownOperations } from '@capstan/contract/operations'
import { build, type Plugin, type Rolldown } from 'vite'
import { addressOfTextFile, type EarlyTable } from '../src/lib/early/early-loads.ts'
import { defaultLanguage, languages } from '../src/lib/languages.ts'
import { findChunkOfModule, listChunksWithImports, listStartPages, regexSourceOfRoute, type StartPage } from './start-pages.ts'

const script = fileURLToPath(new URL('../src/lib/early/start.ts', import.meta.url))
/** Folder of the bundled files. `earlyTable` lists file names without it, so that the script stays small. */
const folder = 'static/'

/** API calls that each page always makes. The key is the beginning of the page's file name. */
const callsByPage: Readonly<Record<string, readonly string[]>> = {
  '/routes/home.': [ownOperations.listAllGames.path, ownOperations.listOwnGames.path, operations.listLatestPosts.path],
  '/routes/games.': [ownOperations.listAllGames.path],
  '/routes/posts/posts.': [operations.listPosts.path],
  '/routes/game/': [operations.getGame.path],
}

/**
 * API calls that each page makes only after the start of the game. Before the start, the calls would fail. So the script checks the
 * start time first.
 */
const callsOnceStarted: Readonly<Record<string, readonly string[]>> = {
  '/routes/game/scoreboard.': [ownOperations.getLeadingBoard.path],
}

/** API calls that each page makes only for players of an accepted team, while the challenges are open. */
const callsOfPlayers: Readonly<Record<string, readonly string[]>> = {
  '/routes/game/challenges.': [
    operations.getPlayerBoard.path,
    ownOperations.listChallengeMarks.path,
    ownOperations.listTeamInstances.path,
  ],
  '/routes/game/scoreboard.': [operations.listOwnTeams.path],
}

function callsOf(table: Readonly<Record<string, readonly string[]>>, { page }: StartPage): readonly string[] {
  return Object.entries(table).flatMap(([beginning, calls]) => (page.startsWith(beginning) ? calls : []))
}

/**
 * Returns the files that each page needs in addition to the files of index.html.
 * @throws Error if a page or one of its texts has no separate file
 */
function earlyTable(chunks: readonly Rolldown.OutputChunk[], html: string): EarlyTable {
  const pages = listStartPages()
  const areas = [...new Set(pages.flatMap((page) => page.areas))]
  const nameOf = (file: string) => file.slice(folder.length)
  const filesOf = ({ page }: StartPage) =>
    [...listChunksWithImports(chunks, [page])]
      .flatMap((chunk) => [chunk.fileName, ...(chunk.viteMetadata?.importedCss ?? [])])
      .filter((file) => !html.includes(file))
      .map(nameOf)
  /**
   * Returns the files that every page needs in a language: common texts, the list of text areas, and the date format. For English
   * it returns only the common texts, because the entry script already contains the rest.
   */
  const modulesOf = ({ code, dayjs }: (typeof languages)[number]) => [
    `/locales/${code}/common.ts`,
    ...(code === defaultLanguage ? [] : [`/locales/${code}/index.ts`, `/dayjs/locale/${dayjs}.js`]),
  ]
  const fileOf = (module: string) => nameOf(findChunkOfModule(chunks, module).fileName)
  return {
    pages: pages.map((page) => ({
      address: regexSourceOfRoute(page.pattern),
      files: [...new Set(filesOf(page))],
      areas: page.areas,
      calls: callsOf(callsByPage, page),
      callsOnceStarted: callsOf(callsOnceStarted, page),
      callsOfPlayers: callsOf(callsOfPlayers, page),
    })),
    languages: Object.fromEntries(
      languages.map((language) => [
        language.code,
        {
          files: modulesOf(language).map(fileOf),
          texts: Object.fromEntries(
            areas.map((area) => {
              const file = fileOf(`/locales/${language.code}/${area}.ts`)
              return [area, file.slice(addressOfTextFile(language.code, area, '').length - '.js'.length, -'.js'.length)]
            }),
          ),
        },
      ]),
    ),
  }
}

/** Bundles the script that is placed into index.html. */
async function bundleScript(table: EarlyTable): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    define: { __EARLY__: JSON.stringify(table) },
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      // Without this option, the script would contain all limits of the contract, because a constant reads one of them.
      rolldownOptions: { input: script, output: { format: 'iife' }, treeshake: { propertyReadSideEffects: false } },
    },
  })
  const [{ output }] = [built].flat() as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput]
  return output[0].code.trim()
}

const styleSheet = /<link rel="stylesheet"/g

/**
 * Adds a script to index.html that requests the files and data of the current page before any other script arrives. The script
 * also loads the style sheets, so that they do not block the first paint. The application waits for the style sheets before it
 * renders.
 */
export function insertEarlyLoadScript(): Plugin {
  return {
    name: 'capstan-early-loads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk')
        const code = await bundleScript(earlyTable(chunks, html))
        if (!styleSheet.test(html)) throw new Error('index.html has no style sheet')
        // The browser requests files in the order of the HTML. The large files take longest, so they are requested before the
        // script.
        return html
          .replace(styleSheet, '<link rel="preload" as="style"')
          .replace('  </head>', () => `  <script nonce="%nonce%">${code}</script>\n  </head>`)
      },
    },
  }
}
