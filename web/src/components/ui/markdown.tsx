import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { cx } from './cx.ts'
import styles from './display.module.css'
import { SkeletonLines } from './skeleton.tsx'

interface MarkdownProps {
  readonly source: string
  /** Text size of the interface instead of reading size. */
  readonly compact?: boolean
}

/** User-written Markdown, sanitised. Parser, formulas and code colours are loaded on demand. */
export function Markdown({ source, compact }: MarkdownProps) {
  const place = useRef<HTMLDivElement>(null)
  const [html, setHtml] = useState<string>()
  useEffect(() => {
    let current = true
    void import('../../lib/markdown.ts').then(({ renderMarkdown }) => current && setHtml(renderMarkdown(source)))
    return () => {
      current = false
    }
  }, [source])
  // Before it is painted, else what follows would jump.
  useLayoutEffect(() => {
    if (html === undefined || !place.current) return
    const element = place.current
    element.innerHTML = html
    void import('../../lib/markdown.ts').then(({ enrich }) => enrich(element))
  }, [html])
  if (html === undefined) return <SkeletonLines />
  return <div ref={place} className={cx(styles.markdown, compact && styles.compactText)} />
}
