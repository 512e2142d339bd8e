import { Download, Pause, Play } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { saveBlob } from '../../lib/download.ts'
import { formatNumber } from '../../lib/format.ts'
import { createSearchPredicate } from '../live-list/tail.ts'
import { Alert } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { SearchInput } from '../ui/input.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { ErrorText } from '../ui/states.tsx'
import styles from './containers.module.css'
import type { LogLine } from './log-lines.ts'
import { useContainerLog } from './use-container-log.ts'

type ContainerLogViewProps = Readonly<{
  /** Id of the instance. */
  id: string
  /** Name of the container. */
  name: string
}>

/** Live output of a container, with search and download. */
export function ContainerLogView({ id, name }: ContainerLogViewProps) {
  const { t } = useTranslation('containers')
  const [typed, setTyped] = useState('')
  const [isFollowing, setIsFollowing] = useState(true)
  const [attempt, setAttempt] = useState(0)
  const { lines, isLive, error } = useContainerLog(id, name, { isFollowing, attempt })
  const isOpen = isFollowing && isLive
  const shown = lines?.filter(createSearchPredicate<LogLine>(typed, ({ text }) => [text]))
  const toggle = () => {
    setIsFollowing(!isOpen)
    if (!isOpen) setAttempt(attempt + 1)
  }
  const save = () =>
    saveBlob(new Blob([(shown ?? []).map(({ text }) => `${text}\n`).join('')], { type: 'text/plain' }), `${name}.log`)
  return (
    <section className="stack gap-2" aria-label={t('log')}>
      <div className="row gap-2">
        <div className={styles.search}>
          <SearchInput label={t('search')} value={typed} onValueChange={setTyped} />
        </div>
        <Button aria-pressed={isOpen} onClick={toggle}>
          {isOpen ? <Pause aria-hidden /> : <Play aria-hidden />}
          {t(isOpen ? 'pause' : 'follow')}
        </Button>
        <Button disabled={!shown?.length} onClick={save}>
          <Download aria-hidden />
          {t('download')}
        </Button>
      </div>
      {error !== undefined && (
        <Alert tone="bad" title={t('lost')}>
          <ErrorText error={error} />
        </Alert>
      )}
      {lines ? (
        <Lines lines={shown ?? []} isEmpty={lines.length === 0} isLive={isOpen} />
      ) : (
        error === undefined && <SkeletonLines count={8} />
      )}
      <p className="small muted" role="status">
        {lines && t('lines', { count: lines.length, shown: formatNumber(shown?.length ?? 0), total: formatNumber(lines.length) })}{' '}
        {lines && t(isOpen ? 'live' : 'ended')}
      </p>
    </section>
  )
}

type LinesProps = Readonly<{
  lines: readonly LogLine[]
  /** True if the container has written nothing. */
  isEmpty: boolean
  isLive: boolean
}>

/** Log lines. When lines arrive while the last line is visible, the view scrolls to the new last line. */
function Lines({ lines, isEmpty, isLive }: LinesProps) {
  const { t } = useTranslation('containers')
  const frame = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useLayoutEffect(() => {
    if (frame.current && isAtEnd.current) frame.current.scrollTop = frame.current.scrollHeight
  }, [lines])
  return (
    <div
      ref={frame}
      role="log"
      aria-live="off"
      aria-label={t('log')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
      tabIndex={0}
      className={cx('well code typed', styles.lines)}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8
      }}
    >
      {lines.length === 0 && <p className="muted">{isEmpty ? t(isLive ? 'waiting' : 'empty') : t('noMatch')}</p>}
      {lines.map(({ number, text }) => (
        <bdi key={number}>{text}</bdi>
      ))}
    </div>
  )
}
