import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { listenForRetries } from '../../lib/retry-signs.ts'
import { resolveColorScheme, useColorScheme } from '../../stores/color-scheme.ts'
import { cx } from './cx.ts'
import styles from './display.module.css'
import { SkeletonLines } from './skeleton.tsx'

type Parser = typeof import('../../lib/markdown.ts')

/**
 * Markdown parser. Undefined until it has loaded. A text that appears after that is complete in its first frame, so that content
 * below does not move.
 */
let loadedParser: Parser | undefined

async function loadParser(): Promise<Parser> {
  loadedParser ??= await loadApplicationFile(() => import('../../lib/markdown.ts'))
  return loadedParser
}

/** Loads the parser while the text itself still loads. */
export function preloadMarkdown(): void {
  // After an error, `Markdown` tries again.
  loadParser().catch(() => undefined)
}

type MarkdownProps = Readonly<{
  source: string
  /** True if the text is as small as other texts of the interface. By default, the text is larger. */
  compact?: boolean
}>

const maxSkeletonLines = 3
const skeletonLineLetters = 80

/**
 * Returns the number of lines of the placeholder. It is small for a short text, so that content below does not move when the text
 * appears.
 */
function countSkeletonLines(source: string): number {
  const lines = source.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / skeletonLineLetters), 0)
  return Math.min(maxSkeletonLines, Math.max(1, lines))
}

/** Sanitized Markdown of users. The parser, formulas and highlighting load on demand. */
export function Markdown({ source, compact }: MarkdownProps) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useColorScheme(resolveColorScheme)
  const [parser, setParser] = useState(loadedParser)
  const [isMissing, setMissing] = useState(false)
  const html = useMemo(() => parser?.renderMarkdown(source), [parser, source])
  useEffect(() => {
    if (parser) return
    let current = true
    let stop: (() => void) | undefined
    const load = () =>
      void loadParser().then(
        (loaded) => {
          stop?.()
          if (current) setParser(loaded)
        },
        () => {
          if (!current) return
          setMissing(true)
          stop ??= listenForRetries(load)
        },
      )
    load()
    return () => {
      current = false
      stop?.()
    }
  }, [parser])
  // Runs before the browser paints, so that content below does not move.
  useLayoutEffect(() => {
    if (html === undefined || !parser || !place.current) return
    place.current.innerHTML = html
    return parser.renderFormulasAndCode(place.current, scheme)
  }, [html, parser, scheme])
  if (html === undefined && isMissing)
    return <div className={cx(styles.markdown, 'typed', compact && styles.compactText)}>{source}</div>
  if (html === undefined) return <SkeletonLines count={countSkeletonLines(source)} />
  return <div ref={place} className={cx(styles.markdown, compact && styles.compactText)} />
}
