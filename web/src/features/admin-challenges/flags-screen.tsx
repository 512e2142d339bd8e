import type { ChallengeEdit } from '@capstan/contract/challenges'
import { ArrowLeft, Dices } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { paths } from '../../lib/paths.ts'
import { AddFiles } from './add-files.tsx'
import { AddLines } from './add-lines.tsx'
import { useTeamCount } from './challenge-editor.tsx'
import editor from './editor.module.css'
import { FlagList } from './flag-list.tsx'
import styles from './flags.module.css'
import { SupplyAlert } from './supply-alert.tsx'

interface FlagsScreenProps {
  readonly gameId: number
  readonly challenge: ChallengeEdit
}

/** The flags of a challenge, or the files of its teams. */
export function FlagsScreen({ gameId, challenge }: FlagsScreenProps) {
  const { t } = useTranslation('admin-challenges')
  const { id, type, title, flags } = challenge
  const hasFiles = type === 'DynamicAttachment'
  const teams = useTeamCount(gameId, hasFiles)
  const known = useMemo(() => new Set(flags.map(({ flag }) => flag)), [flags])
  const add = { gameId, challengeId: id, known }
  const back = paths.adminGameChallenge.to(gameId, id)
  return (
    <>
      <div className={editor.top}>
        <Link to={back} className={editor.back}>
          <ArrowLeft aria-hidden />
          {t('flags.back')}
        </Link>
        <div className={editor.title}>
          <h1>{t('flags.title', { title })}</h1>
          <Badge>{t(`type.${type}`)}</Badge>
        </div>
      </div>
      {type === 'DynamicContainer' ? (
        <EmptyState icon={Dices} title={t('flags.made')} actions={<ButtonLink to={back}>{t('flags.template')}</ButtonLink>}>
          {t('flags.madeText')}
        </EmptyState>
      ) : (
        <div className={styles.layout}>
          <div className="stack">
            {hasFiles && <SupplyAlert files={flags.length} teams={teams} />}
            <FlagList gameId={gameId} challenge={challenge} />
          </div>
          <div className={styles.add}>
            <div className="stack">
              {hasFiles && (
                <Card title={t('flags.files')}>
                  <AddFiles {...add} />
                </Card>
              )}
              <Card title={t(hasFiles ? 'flags.pairs' : 'flags.add')}>
                <AddLines key={challenge.id} {...add} kind={hasFiles ? 'pairs' : 'flags'} />
              </Card>
            </div>
          </div>
        </div>
      )}
    </>
  )
}
