import type { GameNotice, NoticeType } from '@capstan/contract/games'
import type { BloodType } from '@capstan/contract/vocabulary'
import { Lightbulb, type LucideIcon, Megaphone, Puzzle } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { NoticeText } from '../../components/layout/notice-text.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { cx } from '../../components/ui/cx.ts'
import { RelativeTime, useNow } from '../../components/ui/time.tsx'
import { formatDate } from '../../lib/format.ts'
import { groupNoticesByDay, nameOfDay } from './notice-kinds.ts'
import styles from './notices.module.css'

const icons: Readonly<Record<Exclude<NoticeType, BloodType>, LucideIcon>> = {
  Normal: Megaphone,
  NewHint: Lightbulb,
  NewChallenge: Puzzle,
}

export type AddressesOf = (notice: GameNotice) => Pick<ComponentProps<typeof NoticeText>, 'challengeTo' | 'teamTo'>

type NoticeListProps = Readonly<{
  notices: readonly GameNotice[]
  /** Id of the newest notice at the time when the page opened. Later notices are marked as new. */
  newestBefore: number
  addressesOf: AddressesOf
}>

export function NoticeList({ notices, newestBefore, addressesOf }: NoticeListProps) {
  const { t } = useTranslation('notices')
  const now = useNow(60_000)
  return (
    <div className="stack gap-8">
      {groupNoticesByDay(notices).map((day) => {
        const name = nameOfDay(day.at, now)
        return (
          <section key={day.at} className="stack gap-3">
            <h2 className="muted small">{name ? t(name) : formatDate(day.at)}</h2>
            <ol className="frame clip divided">
              {day.notices.map((notice) => (
                <NoticeEntry key={notice.id} notice={notice} fresh={notice.id > newestBefore} {...addressesOf(notice)} />
              ))}
            </ol>
          </section>
        )
      })}
    </div>
  )
}

type NoticeProps = ReturnType<AddressesOf> &
  Readonly<{
    notice: GameNotice
    fresh: boolean
    action?: ReactNode
  }>

export function NoticeEntry({ notice, fresh, action, ...addresses }: NoticeProps) {
  const { t } = useTranslation('notices')
  return (
    <li className={styles.notice} data-type={notice.type} data-fresh={fresh}>
      <span className={styles.icon}>
        <NoticeIcon type={notice.type} />
      </span>
      <div className="stack gap-0 grow">
        <div className={cx('line small', styles.line)}>
          <strong className="muted medium">{t(`type.${notice.type}`)}</strong>
          {fresh && <Badge tone="brand">{t('fresh')}</Badge>}
          <span className="faint end nowrap">
            <RelativeTime at={notice.time} />
          </span>
        </div>
        <NoticeText notice={notice} {...addresses} />
        {action && <div className="above-2">{action}</div>}
      </div>
    </li>
  )
}

function NoticeIcon({ type }: { readonly type: NoticeType }) {
  if (type === 'FirstBlood' || type === 'SecondBlood' || type === 'ThirdBlood')
    return <BloodMark size={20} place={bloodPlace(type) ?? 3} />
  const Icon = icons[type]
  return <Icon aria-hidden />
}
