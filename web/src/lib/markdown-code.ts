import { createHighlighterCore, type HighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { Scheme } from './palette.ts'

/** Grammars of the languages that challenges often use. Each grammar loads on first use. */
const grammars = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  solidity: () => import('shiki/langs/solidity.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
} as const

/** C++ uses the grammar of C, because the grammar of C++ is ten times as large as all other grammars. */
const aliases: Readonly<Record<string, keyof typeof grammars>> = {
  'c++': 'c',
  cpp: 'c',
  js: 'javascript',
  py: 'python',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  sol: 'solidity',
  ts: 'typescript',
  yml: 'yaml',
}

function isGrammar(name: string): name is keyof typeof grammars {
  return name in grammars
}

let highlighter: Promise<HighlighterCore> | undefined

function getHighlighter() {
  highlighter ??= createHighlighterCore({
    themes: [import('shiki/themes/github-dark-default.mjs'), import('shiki/themes/github-light-high-contrast.mjs')],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  highlighter.catch(() => {
    highlighter = undefined
  })
  return highlighter
}

/**
 * Time limit per line, in ms. A line that takes longer gets only one color. The first lines include the time for compiling the
 * grammar, so slow devices need more than the default of half a second.
 */
const lineTimeLimitMs = 5_000

/** Highlights one code block. It sets colors by `style.color`, because a strict CSP allows this. */
export async function highlightCodeBlock(element: HTMLElement, scheme: Scheme): Promise<void> {
  const asked = /language-([\w+-]+)/.exec(element.className)?.[1]?.toLowerCase() ?? ''
  const language = aliases[asked] ?? asked
  if (!isGrammar(language)) return
  const shiki = await getHighlighter()
  await shiki.loadLanguage(grammars[language]())
  const { tokens } = shiki.codeToTokens(element.textContent ?? '', {
    lang: language,
    theme: scheme === 'light' ? 'github-light-high-contrast' : 'github-dark-default',
    tokenizeTimeLimit: lineTimeLimitMs,
  })
  const lines = tokens.map((line) =>
    line.map((token) => {
      const span = document.createElement('span')
      span.textContent = token.content
      if (token.color) span.style.color = token.color
      return span
    }),
  )
  element.replaceChildren(...lines.flatMap((line, index) => (index === 0 ? line : ['\n', ...line])))
}
