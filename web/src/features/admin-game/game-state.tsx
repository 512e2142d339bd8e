import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { countChallengesByReadiness } from '@capstan/contract/readiness'
import { Globe } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime, useNow } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { listStepsBeforeStart } from '../../lib/before-start.ts'
import { formatDateTime } from '../../lib/format.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, setCallData, useCall } from '../../lib/server-state.ts'
import { toGameRequest } from './game-form.ts'
import styles from './game-state.module.css'
import { useStartStepTexts } from './step-texts.ts'

/** Shows whether a game is published, which phase it is in, and when this phase ends. */
export function GameStateBanner({ game }: { readonly game: AdminGame }) {
  const { t } = useTranslation(['admin', 'common'])
  const phase = phaseOfGame(game, useNow(10_000))
  return (
    <span className="row gap-2 muted small regular">
      <Badge tone={game.hidden ? 'warn' : 'ok'}>{t(game.hidden ? 'state.draft' : 'state.published')}</Badge>
      <span title={formatDateTime(phase === 'upcoming' ? game.start : game.end)}>
        {t(`state.${phase}`)} <RelativeTime at={phase === 'upcoming' ? game.start : game.end} />
      </span>
    </span>
  )
}

export function PublishButton({ game }: { readonly game: AdminGame }) {
  const { t } = useTranslation('admin')
  const [asks, setAsks] = useState(false)
  const params = { id: game.id }
  const change = useAction(async (hidden: boolean) => {
    // The call replaces every field, so start with the stored game.
    const stored = await call(operations.adminGetGame, { params })
    const saved = await call(operations.updateGame, { params, body: toGameRequest(stored, { hidden }) })
    await setCallData([operations.adminGetGame, { params }], saved)
    await refreshCall(operations.getGame, { params })
    setAsks(false)
    showToast({ tone: 'ok', title: t(hidden ? 'publish.withdrawn' : 'publish.done', { title: game.title }) })
  })
  const error = change.error === undefined ? undefined : <ErrorText error={change.error} />
  const close = (open: boolean) => {
    change.reset()
    setAsks(open)
  }
  return (
    <>
      <Button size="small" variant={game.hidden ? 'primary' : 'ghost'} onClick={() => setAsks(true)}>
        {game.hidden && <Globe aria-hidden />}
        {t(game.hidden ? 'publish.action' : 'publish.withdraw')}
      </Button>
      {asks && game.hidden && (
        <ConfirmationDialog
          open
          onOpenChange={close}
          title={t('publish.question', { title: game.title })}
          description={<Missing game={game} onLeave={() => setAsks(false)} />}
          confirm={t('publish.action')}
          busy={change.busy}
          error={error}
          onConfirm={() => void change.run(false)}
        />
      )}
      {asks && !game.hidden && (
        <ConfirmationDialog
          open
          onOpenChange={close}
          title={t('publish.withdrawQuestion', { title: game.title })}
          description={t('publish.withdrawText')}
          confirm={t('publish.withdraw')}
          danger
          busy={change.busy}
          error={error}
          onConfirm={() => void change.run(true)}
        />
      )}
    </>
  )
}

type MissingProps = Readonly<{
  game: AdminGame
  onLeave: () => void
}>

/** Schedule of the game, and links to the steps that are not done yet. */
function Missing({ game, onLeave }: MissingProps) {
  const { t } = useTranslation('admin')
  const { data: challenges } = useCall(ownOperations.listChallengeReadiness, { params: { id: game.id } })
  const textOf = useStartStepTexts(game, challenges ?? [])
  const open = challenges
    ? listStepsBeforeStart(game, countChallengesByReadiness(challenges)).filter(
        ({ name, state }) => state === 'open' && name !== 'published',
      )
    : []
  return (
    <div className="stack gap-2">
      <p>
        {t('publish.text')} {textOf.times.text}
      </p>
      {open.length > 0 && (
        <>
          <p>{t('publish.missing')}</p>
          <ul className={styles.missing}>
            {open.map(({ name }) => (
              <li key={name}>
                <Link to={textOf[name].to} onClick={onLeave}>
                  {textOf[name].text}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      {challenges && open.length === 0 && <p>{t('publish.complete')}</p>}
    </div>
  )
}
