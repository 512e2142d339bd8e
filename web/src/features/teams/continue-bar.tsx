import type { GameSummary } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { serverNow } from '../../lib/clock.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { findGameToContinue } from './game-to-continue.ts'

type ContinueBarProps = Readonly<{
  teamName: string
  /** Game that the player came from. By default it is the current or next game. */
  gameId: number | undefined
}>

/** Bar with a link to the game. It is shown once the player has a team. */
export function ContinueToGameBar({ teamName, gameId }: ContinueBarProps) {
  const { t } = useTranslation('teams')
  const { data: known } = useCall(operations.getGame, gameId === undefined ? null : { params: { id: gameId } })
  const { data: games } = useCall(ownOperations.listAllGames, gameId === undefined ? {} : null)
  const game: Pick<GameSummary, 'id' | 'title'> | undefined =
    known ?? findGameToContinue(games ?? [], (each) => phaseOfGame(each, serverNow()))
  if (!game) return null
  return (
    <Alert
      tone="ok"
      actions={
        <ButtonLink variant="primary" to={paths.game.to(game.id)}>
          <span className="truncate">{t('continue', { game: game.title })}</span>
          <ArrowRight aria-hidden />
        </ButtonLink>
      }
    >
      {t('continueText', { team: teamName })}
    </Alert>
  )
}
