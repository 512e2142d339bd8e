import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { listenForRetries } from '../../lib/retry-signs.ts'
import { resolveColorScheme, useColorScheme } from '../../stores/color-scheme.ts'
import { cx } from './cx.ts'
import styles from './display.module.css'
import { SkeletonLines } from './skeleton.tsx'

function loadParser() {
  return loadApplicationFile(() => import('../../lib/markdown.ts'))
}

type MarkdownProps = Readonly<{
  source: string
  /** True if the text is as small as other texts of the interface. By default, the text is larger. */
  compact?: boolean
}>

/** Sanitized Markdown of users. Plain text needs no parser. The parser, formulas and highlighting load on demand. */
export function Markdown({ source, compact }: MarkdownProps) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useColorScheme(resolveColorScheme)
  const [html, setHtml] = useState<string>()
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    let current = true
    let stop: (() => void) | undefined
    const render = () =>
      void loadParser().then(
        ({ renderMarkdown }) => {
          stop?.()
          if (current) setHtml(renderMarkdown(source))
        },
        () => {
          if (!current) return
          setMissing(true)
          stop ??= listenForRetries(render)
        },
      )
    render()
    return () => {
      current = false
      stop?.()
    }
  }, [source])
  // Runs before the browser paints, so that content below does not move.
  useLayoutEffect(() => {
    if (html === undefined || !place.current) return
    const element = place.current
    element.innerHTML = html
    let stop: (() => void) | undefined
    let current = true
    void loadParser().then(
      ({ renderFormulasAndCode }) => {
        if (current) stop = renderFormulasAndCode(element, scheme)
      },
      () => undefined,
    )
    return () => {
      current = false
      stop?.()
    }
  }, [html, scheme])
  if (html === undefined && isMissing)
    return <div className={cx(styles.markdown, styles.plain, compact && styles.compactText)}>{source}</div>
  if (html === undefined) return <SkeletonLines />
  return <div ref={place} className={cx(styles.markdown, compact && styles.compactText)} />
}
