import type { TeamInfo } from '@capstan/contract/teams'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { showToast } from '../../components/ui/toast.ts'

/**
 * Notifies the player if a team was disbanded, or if the player was removed from a team.
 * @returns a function to call with the id of a team before the player leaves this team
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
