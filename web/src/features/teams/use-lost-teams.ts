import type { TeamInfo } from '@capstan/contract/teams'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { showToast } from '../../components/ui/toast.ts'

/**
 * Shows a notice when a team disappears from the player's teams.
 * @returns a function that suppresses the notice for the team with the given id
 */
export function useLostTeamNotice(teams: readonly TeamInfo[] | undefined): (id: number) => void {
  const { t } = useTranslation('teams')
  const known = useRef<readonly TeamInfo[]>([])
  const left = useRef(new Set<number>())
  useEffect(() => {
    if (!teams) return
    const lost = known.current.filter(({ id }) => !left.current.has(id) && !teams.some((team) => team.id === id))
    for (const { name } of lost) showToast({ tone: 'warn', title: t('lost.title', { team: name ?? '' }), text: t('lost.text') })
    known.current = teams
  }, [teams, t])
  return (id) => void left.current.add(id)
}
