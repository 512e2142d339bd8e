import type { GameNotice } from '@capstan/contract/games'
import { Trans, useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Markdown } from '../ui/markdown.tsx'
import styles from './notice-text.module.css'

const name = <bdi className={styles.name} />

type NoticeTextProps = Readonly<{
  notice: Pick<GameNotice, 'type' | 'values'>
  /** Address of the challenge that the notice is about. */
  challengeTo?: string | undefined
  teamTo?: string | undefined
}>

function markOf(to: string | undefined) {
  return to === undefined ? name : <Link to={to} dir="auto" className="wrap-anywhere strong" />
}

/** Text of a notice. The texts of the area `notices` must be loaded. */
export function NoticeText({ notice: { type, values }, challengeTo, teamTo }: NoticeTextProps) {
  const { t } = useTranslation('notices')
  const [first = '', second = ''] = values
  if (type === 'Normal') return <Markdown compact source={first} />
  const marks = { who: markOf(teamTo), what: markOf(challengeTo) }
  return (
    <p className="muted wrap-anywhere">
      {type === 'NewHint' || type === 'NewChallenge' ? (
        <Trans t={t} i18nKey={`text.${type}`} values={{ challenge: first }} components={marks} />
      ) : (
        <Trans t={t} i18nKey="text.blood" values={{ team: first, challenge: second }} components={marks} />
      )}
    </p>
  )
}
