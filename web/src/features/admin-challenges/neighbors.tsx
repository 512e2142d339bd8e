import { operations } from '@capstan/contract/operations'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../components/ui/button.tsx'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import type { SectionName } from './editor-sections.ts'
import { findNeighbors } from './list-filter.ts'

type NeighborsProps = Readonly<{
  gameId: number
  challengeId: number
  section: SectionName
}>

export function NeighborLinks({ gameId, challengeId, section }: NeighborsProps) {
  const { t } = useTranslation('admin-challenges')
  const { data } = useCall(operations.adminListChallenges, { params: { id: gameId } })
  if (!data || data.length < 2) return null
  const { previous, next, position } = findNeighbors(data, challengeId)
  const linkTo = (challenge: typeof next, name: 'previous' | 'next') => {
    const Icon = name === 'previous' ? ChevronLeft : ChevronRight
    return (
      challenge && (
        <ButtonLink
          size="small"
          variant="ghost"
          to={paths.adminGameChallenge.to(gameId, challenge.id, section)}
          aria-label={t(`editor.${name}`, { title: challenge.title })}
          title={challenge.title}
        >
          <Icon aria-hidden />
        </ButtonLink>
      )
    )
  }
  return (
    <nav className="line gap-1" aria-label={t('editor.neighbors')}>
      {linkTo(previous, 'previous')}
      <span className="small muted number">{t('editor.position', { position, total: data.length })}</span>
      {linkTo(next, 'next')}
    </nav>
  )
}
