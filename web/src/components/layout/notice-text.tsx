import type { GameNotice } from '@capstan/contract/games'
import { Trans, useTranslation } from 'react-i18next'
import { Markdown } from '../ui/markdown.tsx'
import styles from './notice-text.module.css'

const marks = { who: <bdi className={styles.name} />, what: <bdi className={styles.name} /> }

/** Text of a notice. Needs the texts of the area `notices`. */
export function NoticeText({ notice: { type, values } }: { readonly notice: Pick<GameNotice, 'type' | 'values'> }) {
  const { t } = useTranslation('notices')
  const [first = '', second = ''] = values
  if (type === 'Normal') return <Markdown compact source={first} />
  return (
    <p className={styles.text}>
      {type === 'NewHint' || type === 'NewChallenge' ? (
        <Trans t={t} i18nKey={`text.${type}`} values={{ challenge: first }} components={marks} />
      ) : (
        <Trans t={t} i18nKey="text.blood" values={{ team: first, challenge: second }} components={marks} />
      )}
    </p>
  )
}
