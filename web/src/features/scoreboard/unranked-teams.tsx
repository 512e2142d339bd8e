import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { formatNumber } from '../../lib/format.ts'

type UnrankedTeamsProps = Readonly<{
  teams: readonly ScoreboardTeam[]
  /** Number of challenges on the board. */
  total: number
  ownTeamId: number | undefined
  onOpen: (teamId: number) => void
}>

/** Teams that have no overall rank, such as organizers and guests. */
export function UnrankedTeams({ teams, total, ownTeamId, onOpen }: UnrankedTeamsProps) {
  const { t } = useTranslation('scoreboard')
  const id = useId()
  if (teams.length === 0) return null
  return (
    <section className="stack gap-1 above-6" aria-labelledby={id}>
      <h2 id={id}>{t('unranked.title')}</h2>
      <p className="small muted">{t('unranked.text')}</p>
      <Table label={t('unranked.title')} dense>
        <thead>
          <tr>
            <th scope="col">{t('column.team')}</th>
            <th scope="col">{t('division.label')}</th>
            <th scope="col" className={tableEnd}>
              {t('column.score')}
            </th>
            <th scope="col" className={tableEnd}>
              {t('column.solved')}
            </th>
          </tr>
        </thead>
        <tbody>
          {teams.map((team) => (
            <tr key={team.id}>
              <th scope="row">
                <button type="button" className="inline" onClick={() => onOpen(team.id)}>
                  <Avatar team name={team.name} src={team.avatar} size={22} />
                  <bdi className="truncate">{team.name}</bdi>
                  {team.id === ownTeamId && <span className="muted tiny regular">{t('own')}</span>}
                </button>
              </th>
              <td>
                <bdi>{team.organization}</bdi>
              </td>
              <td className={tableEnd}>{formatNumber(team.score)}</td>
              <td className={tableEnd}>
                {formatNumber(team.solvedCount)}
                <span className="faint"> / {formatNumber(total)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  )
}
