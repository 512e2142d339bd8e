import type { AdminGame } from '@capstan/contract/games'
import { Eye, Snowflake } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatDateTime } from '../../lib/format.ts'
import { setBoardRevealed } from '../../lib/reveal.ts'

/** Interval at which the card checks whether the freeze has begun, in ms. */
const checkMs = 10_000

/** Card that reveals a frozen scoreboard, or undoes the reveal. It is absent before the freeze. */
export function RevealScoreboardCard({ game }: { readonly game: AdminGame }) {
  const { t } = useTranslation('admin-game')
  const now = useNow(checkMs)
  const isRevealed = game.revealed != null
  const change = useAction(async () => {
    await setBoardRevealed(game.id, !isRevealed)
    showToast({ tone: 'ok', title: t(isRevealed ? 'reveal.undone' : 'reveal.done') })
  })
  if (game.freeze == null || now < game.freeze) return null
  const at = formatDateTime(game.revealed ?? game.freeze)
  const Icon = isRevealed ? Snowflake : Eye
  return (
    <Card title={t('reveal.title')}>
      <div className="stack gap-2">
        <p className="small muted">{t(isRevealed ? 'reveal.revealed' : 'reveal.frozen', { at })}</p>
        <div className="row">
          <Button busy={change.busy} onClick={() => void change.run()}>
            <Icon aria-hidden />
            {t(isRevealed ? 'reveal.undo' : 'reveal.action')}
          </Button>
        </div>
        {change.error !== undefined && (
          <FieldError>
            <ErrorText error={change.error} />
          </FieldError>
        )}
      </div>
    </Card>
  )
}
