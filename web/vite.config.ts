import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { insertBootColors } from './plugins/boot-colors.ts'
import { chunkGroups } from './plugins/chunk-groups.ts'
import { writeCompressedFiles } from './plugins/compressed-files.ts'
import { insertEarlyLoadScript } from './plugins/early-loads.ts'
import { enforceFirstLoadBudget } from './plugins/first-load.ts'
import { preloadFonts } from './plugins/font-preload.ts'
import { inlineFirstPaintScript } from './plugins/inline-first-paint.ts'
import { replaceContractModule } from './plugins/lean-contract.ts'
import { fillPagePlaceholders } from './plugins/page-placeholders.ts'

/**
 * Build data for the console banner and the about page. Image builds set it by environment variables. Other builds read it from
 * git.
 */
const build = {
  version: process.env.CAPSTAN_BUILD_TAG ?? 'develop',
  commit: process.env.CAPSTAN_BUILD_COMMIT ?? commitOfCheckout(),
  builtAt: process.env.CAPSTAN_BUILD_TIME ?? new Date().toISOString(),
  // Use `||`, because image builds without a repository set the variable to an empty text.
  repository: process.env.CAPSTAN_REPOSITORY_URL || repositoryOfPackage(),
}

/**
 * Returns the web address of `repository` in package.json.
 * @returns undefined if package.json has none
 */
function repositoryOfPackage(): string | undefined {
  const { repository } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    repository?: string | { url: string }
  }
  const url = typeof repository === 'string' ? repository : repository?.url
  return url?.replace(/^git\+/, '').replace(/\.git$/, '')
}

function commitOfCheckout(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}

/**
 * Returns the language of a catalog file. The built file has language and area in its path, so that the network log shows which
 * texts load.
 */
function textsOf(moduleId: string | null | undefined) {
  return /\/locales\/([\w-]+)\/[\w-]+\.ts$/.exec(moduleId ?? '')?.[1]
}

const api = process.env.CAPSTAN_API ?? 'http://127.0.0.1:8080'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    replaceContractModule(),
    insertBootColors(),
    fillPagePlaceholders(),
    inlineFirstPaintScript(),
    react(),
    preloadFonts(),
    insertEarlyLoadScript(),
    enforceFirstLoadBudget(),
    writeCompressedFiles(),
  ],
  define: { __BUILD__: JSON.stringify(build) },
  // The server inserts a new nonce into every page that it sends.
  html: { cspNonce: '%nonce%' },
  build: {
    outDir: 'dist-web',
    // The path `/assets` belongs to uploaded files.
    assetsDir: 'static',
    assetsInlineLimit: 0,
    emptyOutDir: true,
    target: 'es2023',
    // Omit the polyfill, because every target browser supports module preloads.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        chunkFileNames: ({ facadeModuleId }) => {
          const language = textsOf(facadeModuleId)
          return language ? `static/texts/${language}/[name]-[hash].js` : 'static/[name]-[hash].js'
        },
        codeSplitting: { groups: chunkGroups },
      },
    },
  },
  server: {
    proxy: {
      '/api': { target: api, ws: true },
      '/assets': { target: api },
      '/favicon.webp': { target: api },
      '/hub': { target: api, ws: true },
    },
  },
})
