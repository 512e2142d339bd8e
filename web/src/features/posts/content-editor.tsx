import { type ReactNode, useDeferredValue, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MarkdownArea } from '../../components/editing/markdown-area.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field } from '../../components/ui/field.tsx'
import { Markdown } from '../../components/ui/markdown.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import styles from './posts.module.css'

type ContentEditorProps = Readonly<{
  value: string
  onValueChange: (value: string) => void
  error?: ReactNode
}>

/**
 * Markdown editor with a preview beside it. The preview follows the scroll position of the editor. Phones show either the editor or
 * the preview.
 */
export function ContentEditor({ value, onValueChange, error }: ContentEditorProps) {
  const { t } = useTranslation(['posts', 'editing'])
  const [view, setView] = useState<'write' | 'preview'>('write')
  const shown = useDeferredValue(value)
  const preview = useRef<HTMLDivElement>(null)
  const follow = (source: HTMLElement) => {
    const target = preview.current
    if (!target) return
    const share = source.scrollTop / Math.max(1, source.scrollHeight - source.clientHeight)
    target.scrollTop = share * (target.scrollHeight - target.clientHeight)
  }
  return (
    <div className={styles.editor} data-view={view}>
      <div className={styles.viewSwitch}>
        <SegmentedControl
          label={t('posts:form.view')}
          value={view}
          onValueChange={setView}
          options={[
            { value: 'write', label: t('posts:form.write') },
            { value: 'preview', label: t('posts:form.preview') },
          ]}
        />
      </div>
      <div className={styles.write}>
        <Field label={t('posts:form.content')} hint={t('editing:markdownHint')} error={error}>
          {(control) => (
            <MarkdownArea
              {...control}
              value={value}
              className={cx('code', styles.source)}
              onValueChange={onValueChange}
              onScroll={(event) => follow(event.currentTarget)}
            />
          )}
        </Field>
      </div>
      <section className={cx('stack gap-2', styles.preview)} aria-label={t('posts:form.preview')}>
        <h2>{t('posts:form.preview')}</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <div ref={preview} className={cx('frame padded', styles.page)} tabIndex={0}>
          {shown.trim() === '' ? <p className="muted">{t('posts:form.previewEmpty')}</p> : <Markdown source={shown} />}
        </div>
      </section>
    </div>
  )
}
