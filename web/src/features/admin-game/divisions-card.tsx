import { hasRight } from '@capstan/contract/division-rights'
import type { Division } from '@capstan/contract/divisions'
import type { AdminGame } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { KeyRound, Pencil, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { useCall } from '../../lib/server-state.ts'
import { DivisionDialog } from './division-dialog.tsx'
import { shownRights } from './division-form.ts'

/** Divisions of a game. Each is saved separately, and independently of the settings. */
export function DivisionsCard({ game }: { readonly game: AdminGame }) {
  const gameId = game.id
  const { t } = useTranslation('admin-game')
  const { data: divisions, error, mutate } = useCall(ownOperations.listDivisions, { params: { id: gameId } })
  const [opened, setOpened] = useState<Division | 'new'>()
  if (!divisions) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : null
  const edited = opened === 'new' ? undefined : divisions.find(({ id }) => id === opened?.id)
  return (
    <Card title={t('field.divisions')}>
      <div className="stack gap-3">
        {divisions.length > 0 && (
          <ul className="stack gap-1">
            {divisions.map((division) => (
              <li key={division.id} className="line">
                <strong className="truncate">
                  <bdi>{division.name}</bdi>
                </strong>
                <span className="row gap-1">
                  {division.inviteCode !== null && (
                    <Badge>
                      <KeyRound aria-hidden />
                      {t('division.hasCode')}
                    </Badge>
                  )}
                  {shownRights
                    .filter((right) => !hasRight(division.defaultPermissions, right))
                    .map((right) => (
                      <Badge key={right}>{t(`division.without.${right}`)}</Badge>
                    ))}
                </span>
                <IconButton
                  size="small"
                  className="end"
                  label={t('division.edit', { name: division.name })}
                  onClick={() => setOpened(division)}
                >
                  <Pencil />
                </IconButton>
              </li>
            ))}
          </ul>
        )}
        <div className="row">
          <Button size="small" onClick={() => setOpened('new')}>
            <Plus aria-hidden />
            {t('division.add')}
          </Button>
        </div>
        <p className="small muted">{divisions.length === 0 ? t('division.none') : t('division.hint')}</p>
      </div>
      {opened && (
        <DivisionDialog
          gameId={gameId}
          acceptWithoutReview={game.acceptWithoutReview}
          division={edited}
          others={divisions.filter((each) => each !== edited).map(({ name }) => name)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Card>
  )
}
