import { Box, Flag, Lightbulb, type LucideIcon, Paperclip, Scale, ScrollText, TrendingDown, Wrench } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { cx } from '../../components/ui/cx.ts'
import { useScrollToCurrent } from '../../components/ui/use-scroll-to-current.ts'
import type { SectionName } from './editor-sections.ts'
import styles from './section-nav.module.css'

const icons: Readonly<Record<SectionName, LucideIcon>> = {
  about: ScrollText,
  hints: Lightbulb,
  flags: Flag,
  files: Paperclip,
  container: Box,
  score: TrendingDown,
  rules: Scale,
  upkeep: Wrench,
}

type SectionNavProps = Readonly<{
  sections: readonly SectionName[]
  current: SectionName
  counts: Partial<Record<SectionName, number>>
  unsaved: ReadonlySet<SectionName>
  faulty: ReadonlySet<SectionName>
}>

/** Links to the sections of the editor. They are beside the content, or above it on narrow screens. */
export function SectionNav({ sections, current, counts, unsaved, faulty }: SectionNavProps) {
  const { t } = useTranslation('admin-challenges')
  const list = useScrollToCurrent(current, sections.length)
  return (
    <nav ref={list} aria-label={t('section.label')} className={cx('stack gap-0', styles.nav)} onKeyDown={moveByArrows}>
      {sections.map((name, index) => {
        const Icon = icons[name]
        const mark = faulty.has(name) ? 'fault' : unsaved.has(name) ? 'unsaved' : undefined
        const count = counts[name]
        return (
          <Link
            key={name}
            to={{ search: index === 0 ? '' : `?section=${name}` }}
            preventScrollReset
            className={cx('line muted medium nowrap', styles.link)}
            aria-current={name === current ? 'page' : undefined}
          >
            <Icon aria-hidden />
            <span>{t(`section.${name}`)}</span>
            {count !== undefined && count > 0 && <span className="faint tiny number regular">{count}</span>}
            {mark && (
              <span
                className={cx('dot end', styles.mark)}
                data-tone={mark === 'fault' ? 'bad' : 'warn'}
                title={t(`section.${mark}`)}
              >
                <span className="visually-hidden">, {t(`section.${mark}`)}</span>
              </span>
            )}
          </Link>
        )
      })}
    </nav>
  )
}

const steps: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/** Moves the focus between the links by arrow keys, Home and End. Enter opens the focused link. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.indexOf(event.target as HTMLAnchorElement)
  const step = steps[event.key]
  const next = step ? links[at + step] : event.key === 'Home' ? links[0] : event.key === 'End' ? links.at(-1) : undefined
  if (at < 0 || !next) return
  event.preventDefault()
  event.stopPropagation()
  next.focus()
}
