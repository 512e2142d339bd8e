import type { GameDetail } from '@capstan/contract/games'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'

type AnswersNoteProps = Readonly<{
  game: GameDetail
  onOpen: () => void
}>

/** Note for a player who has joined a game with questions. It warns while required answers are missing. */
export function AnswersNote({ game: { status, questions = 0, missingAnswers = 0 }, onOpen }: AnswersNoteProps) {
  const { t } = useTranslation('games')
  if (status === 'Unsubmitted' || questions === 0) return null
  const isMissing = missingAnswers > 0
  return (
    <div className="above-6">
      <Alert
        tone={isMissing ? 'warn' : 'info'}
        title={t(isMissing ? 'answers.missing' : 'answers.title')}
        actions={
          <Button size="small" variant={isMissing ? 'primary' : 'secondary'} onClick={onOpen}>
            {t(isMissing ? 'answers.answer' : 'answers.change')}
          </Button>
        }
      >
        {t(isMissing ? 'answers.missingText' : 'answers.text')}
      </Alert>
    </div>
  )
}
